/* System calls with one argument at a time out of its range, and SEVERAL times with arguments drawn by lot; a line
 * tells what each one returned, and a sum of what it wrote.
 *
 * "calls.h" has a CALL(name, number, kinds) for each; a kind is a letter for each argument, see values().  Every
 * call has a process of its own, with the same descriptors and files. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_FD = 10, FOLDER, READ_END, WRITE_END, SOCKET, DATAGRAM, EPOLL, EVENT, WRITE_ONLY, PATH_ONLY, CLOSED };

struct value {
	const char *name;
	long long value;
};

static const struct call {
	const char *name;
	int number;
	const char *kinds;
} calls[] = {
#define CALL(name, number, kinds) { name, number, kinds },
#include "calls.h"
};

static unsigned seed;
static char *memory;        /* two pages, and one that may not be touched */
static char long_name[300], long_path[5000];

#define POINTER(pointer) (long long)(unsigned long)(pointer)
#define COUNT(array) (sizeof array / sizeof array[0])

/* The values of an argument of one kind; the first is one that makes sense. */
static unsigned values(char kind, struct value *to)
{
	const struct value descriptors[] = { { "file", FILE_FD }, { "folder", FOLDER }, { "read end", READ_END },
	    { "write end", WRITE_END }, { "socket", SOCKET }, { "datagram", DATAGRAM }, { "epoll", EPOLL },
	    { "event", EVENT }, { "write-only", WRITE_ONLY }, { "O_PATH", PATH_ONLY }, { "closed", CLOSED },
	    { "-1", -1 }, { "-100", -100 }, { "INT_MAX", 0x7fffffff }, { "INT_MIN", -0x7fffffff - 1 } };
	const struct value folders[] = { { "AT_FDCWD", AT_FDCWD }, { "folder", FOLDER }, { "file", FILE_FD },
	    { "closed", CLOSED }, { "-1", -1 } };
	const struct value paths[] = { { "f", POINTER("f") }, { "NULL", 0 }, { "nowhere", POINTER(memory + 8192) },
	    { "\"\"", POINTER("") }, { "missing", POINTER("missing") }, { "f/x", POINTER("f/x") },
	    { "missing/x", POINTER("missing/x") }, { "loop", POINTER("loop") }, { "d", POINTER("d") },
	    { "d/", POINTER("d/") }, { "f/", POINTER("f/") }, { ".", POINTER(".") }, { "long name", POINTER(long_name) },
	    { "long path", POINTER(long_path) } };
	const struct value buffers[] = { { "buffer", POINTER(memory) }, { "NULL", 0 }, { "nowhere", POINTER(memory + 8192) },
	    { "edge", POINTER(memory + 8191) }, { "kernel's", -4096 }, { "odd", POINTER(memory + 1) } };
	const struct value sizes[] = { { "16", 16 }, { "0", 0 }, { "1", 1 }, { "4", 4 }, { "8", 8 }, { "12", 12 },
	    { "4096", 4096 }, { "-1", -1 }, { "LONG_MIN", 1UL << (8 * sizeof(long) - 1) } };
	const struct value words[] = { { "8", 8 }, { "0", 0 }, { "4", 4 }, { "16", 16 }, { "-1", -1 } };
	const struct value small[] = { { "8", 8 }, { "0", 0 }, { "4096", 4096 } };
	const struct value flags[] = { { "0", 0 }, { "1", 1 }, { "2", 2 }, { "4", 4 }, { "5", 5 }, { "64", 64 }, { "65", 65 },
	    { "0x100", 0x100 }, { "0x1000", 0x1000 }, { "-1", -1 }, { "INT_MAX", 0x7fffffff },
	    { "INT_MIN", -0x7fffffff - 1 } };
	const struct value processes[] = { { "nobody", 0x3fffff0 }, { "0", 0 }, { "-1", -1 }, { "INT_MIN", -0x7fffffff - 1 } };
	const struct value strangers[] = { { "nobody", 0x3fffff0 }, { "INT_MAX", 0x7fffffff } };
	const struct value offsets[] = { { "0", 0 }, { "1", 1 }, { "-1", -1 }, { "LLONG_MAX", 0x7fffffffffffffffLL },
	    { "LLONG_MIN", -0x7fffffffffffffffLL - 1 } };
	const struct value owners[] = { { "-1", -1 }, { "0", 0 }, { "INT_MAX", 0x7fffffff } };
	const struct value pages[] = { { "page", POINTER(memory) }, { "odd", POINTER(memory + 1) },
	    { "kernel's", -4096 }, { "nothing", 0x30000 } };
	const struct value modes[] = { { "0600", 0600 }, { "-1", -1 } };
	const struct { char kind; const struct value *list; unsigned count; } all[] = {
	    { 'd', descriptors, COUNT(descriptors) }, { 'D', folders, COUNT(folders) }, { 'p', paths, COUNT(paths) },
	    { 'b', buffers, COUNT(buffers) }, { 'z', sizes, COUNT(sizes) }, { 'w', words, COUNT(words) },
	    { 's', small, COUNT(small) },
	    { 'i', flags, COUNT(flags) }, { 'n', processes, COUNT(processes) }, { 'N', strangers, COUNT(strangers) },
	    { 'o', offsets, COUNT(offsets) }, { 'u', owners, COUNT(owners) }, { 'a', pages, COUNT(pages) },
	    { 'm', modes, COUNT(modes) } };

	for (unsigned i = 0; i < COUNT(all); i++)
		if (all[i].kind == kind) {
			memcpy(to, all[i].list, all[i].count * sizeof *to);
			return all[i].count;
		}
	fprintf(stderr, "no kind %c\n", kind);
	exit(2);
}

static void interrupted(int number) { }

static void stand_at(int wanted, int fd)
{
	dup2(fd, wanted);
	close(fd);
}

static void prepare(void)
{
	struct sigaction action = { .sa_handler = interrupted };
	struct itimerval soon = { { 0, 20000 }, { 0, 20000 } };
	struct rlimit none = { 0, 0 }, files = { 1024, 4096 };
	int ends[2];

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_NOFILE, &files);
	mkdir("d", 0700);
	symlink("loop", "loop");
	stand_at(FILE_FD, open("f", O_RDWR | O_CREAT | O_TRUNC, 0600));
	write(FILE_FD, "0123456789abcdef", 16);
	lseek(FILE_FD, 0, SEEK_SET);
	stand_at(FOLDER, open("d", O_RDONLY));
	pipe2(ends, O_NONBLOCK);
	stand_at(READ_END, ends[0]);
	stand_at(WRITE_END, ends[1]);
	stand_at(SOCKET, socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
	stand_at(DATAGRAM, socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0));
	stand_at(EPOLL, epoll_create1(0));
	stand_at(EVENT, eventfd(0, EFD_NONBLOCK));
	stand_at(WRITE_ONLY, open("f", O_WRONLY));
	stand_at(PATH_ONLY, open("f", O_PATH));
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void try(const struct call *call, const long long *arguments)
{
	long registers[7] = { 0 };
	unsigned used = 0;

	for (unsigned i = 0; call->kinds[i]; i++) {
		registers[used++] = (long)arguments[i];
		if (call->kinds[i] == 'o' && sizeof(long) == 4)
			registers[used++] = (long)(arguments[i] >> 32);
	}
	mprotect(memory, 8192, PROT_READ | PROT_WRITE);
	memset(memory, 0, 8192);
	errno = 0;
	long found = syscall(call->number, registers[0], registers[1], registers[2], registers[3], registers[4],
	    registers[5]);
	if (found == -1 && errno)
		printf("%s", strerrorname_np(errno) ? strerrorname_np(errno) : "an unknown error");
	else if (found >= 0 && found < 10000)
		printf("%ld", found);
	else
		printf("something");
	unsigned hash = 0;
	for (unsigned i = 0; i < 8192; i++)
		hash = (hash ^ (unsigned char)memory[i]) * (memory[i] ? 16777619 + 2 * i: 1);
	printf(hash ? ", wrote %08x\n" : "\n", hash);
}

/* The next of numbers that look random, the same ones in each run of a call. */
static unsigned drawn(void)
{
	return (seed = seed * 1103515245 + 12345) >> 16;
}

static void tell(const struct call *call)
{
	struct value list[20];
	long long base[6];
	unsigned count = strlen(call->kinds);

	for (unsigned i = 0; i < count; i++) {
		values(call->kinds[i], list);
		base[i] = list[0].value;
	}
	printf("%s: ", call->name);
	try(call, base);
	for (unsigned i = 0; i < count; i++) {
		unsigned known = values(call->kinds[i], list);
		for (unsigned k = 1; k < known; k++) {
			long long arguments[6];
			memcpy(arguments, base, sizeof base);
			arguments[i] = list[k].value;
			printf("%s, %u: %s: ", call->name, i + 1, list[k].name);
			try(call, arguments);
		}
	}
	for (unsigned n = 0; n < SEVERAL && count > 1; n++) {
		long long arguments[6];
		printf("%s(", call->name);
		for (unsigned i = 0; i < count; i++) {
			unsigned known = values(call->kinds[i], list);
			const struct value *one = &list[drawn() % 3 ? drawn() % known : 0];
			arguments[i] = one->value;
			printf(i + 1 < count ? "%s, " : "%s): ", one->name);
		}
		try(call, arguments);
	}
	fflush(stdout);
}

int main(void)
{
	memset(long_name, 'n', sizeof long_name - 1);
	memset(long_path, '/', sizeof long_path - 1);
	memory = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(memory + 8192, 4096, PROT_NONE);
	static char output[1 << 17];
	setvbuf(stdout, output, _IOFBF, sizeof output);
	for (unsigned i = 0; i < COUNT(calls); i++) {
		pid_t child = fork();
		int status;
		if (!child) {
			seed = calls[i].number;
			mkdir(calls[i].name, 0700);
			chdir(calls[i].name);
			prepare();
			tell(&calls[i]);
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (status)
			printf("%s: ended with %x\n", calls[i].name, status), fflush(stdout);
	}
	return 0;
}
