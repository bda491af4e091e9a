/*
 * A small DTrace consumer that knows nothing but <sys/dtrace.h>'s structures and requests:
 *
 *     consumer [-f] FILE.dof
 *
 * opens /dev/dtrace/dtrace, enables the DOF, traces until a clause calls exit(), and prints, as text,
 * what the kernel says: every record's bytes in hexadecimal, aggregations, and what status counts.
 * -f makes FreeBSD's requests in place of illumos'.  Written for the tests; own text throughout.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct record { uint16_t action; uint32_t size, offset; uint16_t alignment, format; uint64_t arg, uarg; };
struct clause { uint32_t epid, probe; uint64_t uarg; uint32_t size; int count; struct record record[32]; };
struct aggregation {
	uint64_t name; int64_t variable; int flags; uint32_t id, epid, size; int count; uint32_t pad;
	struct record record[32];
};
struct buffer { uint64_t size; uint32_t cpu, errors; uint64_t drops, data, oldest, timestamp; };
struct status { uint64_t counts[10]; char killed, exiting, pad[6]; };
struct format { uint64_t string; int length; uint16_t number; };
struct probe { uint32_t id; char provider[64], module[64], function[192], name[64]; };
struct enable { uint64_t dof; int matched; };

enum { PROBES = 2, BUFSNAP = 4, ENABLE = 6, AGGSNAP = 7, EPROBE = 8, CONF = 10, STATUS = 11, GO = 12,
       STOP = 13, AGGDESC = 15, FORMAT = 16 };

static int device, freebsd;

static unsigned long
number(int command)
{
	static const unsigned long sizes[] = {
		[PROBES] = 0xC0000000 | sizeof (struct probe) << 16, [BUFSNAP] = 0x80000000 | 8 << 16,
		[ENABLE] = 0xC0000000 | sizeof (struct enable) << 16, [AGGSNAP] = 0x80000000 | 8 << 16,
		[EPROBE] = 0x80000000 | 56 << 16, [CONF] = 0x40000000 | 48 << 16,
		[STATUS] = 0x40000000 | sizeof (struct status) << 16, [GO] = 0x40000000 | 4 << 16,
		[STOP] = 0xC0000000 | 4 << 16, [AGGDESC] = 0x80000000 | 8 << 16,
		[FORMAT] = 0xC0000000 | sizeof (struct format) << 16,
	};
	return freebsd ? sizes[command] | 'x' << 8 | command : 0x64747200 | command;
}

static int
request(int command, void *argument)
{
	int indirect = command == BUFSNAP || command == AGGSNAP || command == EPROBE || command == AGGDESC;
	return ioctl(device, number(command), freebsd && indirect ? (void *)&argument : argument);
}

static void
need(int result, const char *what)
{
	if (result >= 0)
		return;
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static void
hexadecimal(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void
show_format(uint16_t which)
{
	struct format format = { 0, 0, which };
	char text[4096];

	need(request(FORMAT, &format), "FORMAT");	/* tells how long it is */
	if (format.length > (int)sizeof (text))
		return;
	format.string = (uintptr_t)text;
	need(request(FORMAT, &format), "FORMAT");
	printf("  format %s\n", text);
}

static void
show_buffer(unsigned char *data, struct buffer *buffer)
{
	for (uint64_t at = 0; at + 12 <= buffer->size; ) {
		struct clause clause = { .count = 32 };
		struct probe probe;

		memcpy(&clause.epid, data + at, 4);
		if (clause.epid == 0) {		/* filler */
			at += 4;
			continue;
		}
		need(request(EPROBE, &clause), "EPROBE");
		memset(&probe, 0, sizeof (probe));
		probe.id = clause.probe;
		need(request(PROBES, &probe), "PROBES");
		printf("%s:%s:%s:%s of %u bytes\n", probe.provider, probe.module, probe.function,
		    probe.name, clause.size);
		for (int i = 0; i < clause.count && i < 32; i++) {
			struct record *record = &clause.record[i];

			printf("  action %u: ", record->action);
			hexadecimal(data + at + record->offset, record->size);
			if (record->format)
				show_format(record->format);
		}
		at += clause.size;
	}
	printf("drops %lu, errors %u\n", (unsigned long)buffer->drops, buffer->errors);
}

static void
show_aggregations(unsigned char *data, struct buffer *buffer)
{
	for (uint64_t at = 0; at + 4 <= buffer->size; ) {
		struct aggregation found = { .count = 32 };

		memcpy(&found.id, data + at, 4);
		if (found.id == 0) {
			at += 4;
			continue;
		}
		need(request(AGGDESC, &found), "AGGDESC");
		printf("aggregation %u of %u bytes\n", found.id, found.size);
		for (int i = 1; i < found.count && i < 32; i++) {
			printf("  action %u: ", found.record[i].action);
			hexadecimal(data + at + found.record[i].offset, found.record[i].size);
		}
		at += found.size;
	}
	printf("aggregation drops %lu\n", (unsigned long)buffer->drops);
}

int
main(int argc, char **argv)
{
	static unsigned char dof[1 << 20], data[5 << 20];
	struct timespec pause = { 0, 100000000 };
	struct status status;
	int file, cpu, matched, tries;

	freebsd = argc > 2 && strcmp(argv[1], "-f") == 0;
	need(file = open(argv[argc - 1], O_RDONLY), argv[argc - 1]);
	need(read(file, dof, sizeof (dof)), "read");
	need(device = open("/dev/dtrace/dtrace", O_RDWR), "/dev/dtrace/dtrace");
	if (freebsd) {
		struct enable enable = { (uintptr_t)dof, 0 };
		need(request(ENABLE, &enable), "ENABLE");
		matched = enable.matched;
	} else {
		need(matched = request(ENABLE, dof), "ENABLE");
	}
	printf("%d matched\n", matched);
	need(request(GO, &cpu), "GO");
	for (tries = 0; tries < 50; tries++) {
		need(request(STATUS, &status), "STATUS");
		if (status.exiting)
			break;
		nanosleep(&pause, NULL);
	}
	need(request(STOP, &cpu), "STOP");
	need(request(STATUS, &status), "STATUS");
	for (unsigned which = 0; ; which++) {
		struct buffer buffer = { .cpu = which, .data = (uintptr_t)data };

		if (request(BUFSNAP, &buffer) != 0)
			break;
		show_buffer(data, &buffer);
		if (request(AGGSNAP, &buffer) == 0)
			show_aggregations(data, &buffer);
	}
	for (int i = 0; i < 10; i++)
		printf("%lu%s", (unsigned long)status.counts[i], i < 9 ? " " : "\n");
	return 0;
}
