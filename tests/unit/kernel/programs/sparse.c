/* Files with holes: what they hold, how long they may be, and what fallocate makes of them.
 *
 * What file systems differ in is asked of files in memory, and where the host has ext4, of that one, too. */
#define _FILE_OFFSET_BITS 64
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

#define KEEP FALLOC_FL_KEEP_SIZE
#define PUNCH (FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)
#define ZERO FALLOC_FL_ZERO_RANGE
#define COLLAPSE FALLOC_FL_COLLAPSE_RANGE
#define INSERT FALLOC_FL_INSERT_RANGE
#define TERA ((int64_t)1 << 40)
#define PAGE 4096

static char bytes[1 << 16], found[1 << 16];

/* The size, the blocks, where data and holes begin, and which letters and zeros there are. */
static void show(int fd)
{
	struct stat status;
	off_t at = 0, end;

	fstat(fd, &status), printf("\n %lld/%lld", (long long)status.st_size, (long long)status.st_blocks);
	while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
		end = lseek(fd, at, SEEK_HOLE), printf(" [%lld-%lld", (long long)at, (long long)end);
		for (; at < end; at += PAGE) {
			pread(fd, found, PAGE, at);
			printf(" %c%c%c", found[0] ?: '.', found[99] ?: '.', found[PAGE - 1] ?: '.');
		}
		putchar(']'), at = end;
	}
	say(at);
}

static void put(int fd, char letter, int size, off_t at)
{
	memset(bytes, letter, size), say(pwrite(fd, bytes, size, at));
}

static void change(int fd, int mode, off_t at, off_t size)
{
	say(fallocate(fd, mode, at, size)), show(fd);
}

/* What holds of every file system. */
static void holes(int fd)
{
	show(fd), say(ftruncate(fd, 3 * TERA)), show(fd);
	put(fd, 'a', 2 * PAGE, 2 * TERA), put(fd, 'b', 10, TERA - 5), show(fd);
	say(pread(fd, found, 20, TERA - 10)), say(found[4]), say(found[5]), say(found[14]), say(found[15]);
	memset(found, 7, sizeof found), say(pread(fd, found, sizeof found, 3 * TERA - 100)), say(found[99]);
	say(pread(fd, found, 1, 3 * TERA)), say(lseek(fd, 3 * TERA, SEEK_DATA));
	say(lseek(fd, 3 * TERA - 1, SEEK_HOLE) == 3 * TERA - 1), say(lseek(fd, -1, SEEK_DATA));
	change(fd, PUNCH, 100, 3 * TERA - 4000), change(fd, PUNCH, 0, 4 * TERA);
	say(ftruncate(fd, 0)), put(fd, 'x', 16 * PAGE, 0);
	change(fd, PUNCH, PAGE, 2 * PAGE), change(fd, PUNCH, 5 * PAGE + 50, 3 * PAGE);
	change(fd, PUNCH, 10 * PAGE + 50, 100), put(fd, 'y', PAGE, 6 * PAGE);
	say(ftruncate(fd, 4 * PAGE + 50)), show(fd), say(ftruncate(fd, 9 * PAGE)), show(fd);
}

/* Reserved pages, as files in memory have them: those of a disk may count as data once they were read. */
static void reserved(int fd)
{
	put(fd, 'x', PAGE, 0), change(fd, 0, 8 * PAGE, 5000), change(fd, KEEP, 20 * PAGE, 3);
	put(fd, 'z', 1, 9 * PAGE), show(fd), put(fd, 'y', PAGE, 7 * PAGE), show(fd);
	say(ftruncate(fd, 9 * PAGE + 1)), show(fd), say(ftruncate(fd, 0));
}

static void refused(int fd)
{
	int ends[2], other = open("other", O_RDONLY | O_CREAT, 0644);

	pipe(ends), put(fd, 'a', 1, 0);
	say(fallocate(fd, 0, -1, 1)), say(fallocate(fd, 0, 0, 0)), say(fallocate(fd, 0, INT64_MAX, 1));
	say(fallocate(fd, 0, INT64_MAX - 1, 1)), say(fallocate(fd, PUNCH, 10 * TERA, 1 << 20));
	say(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 1)), say(fallocate(fd, 0x100, 0, 1));
	say(fallocate(fd, PUNCH | ZERO, 0, 1)), say(fallocate(fd, COLLAPSE | KEEP, 0, PAGE));
	say(fallocate(fd, COLLAPSE | INSERT, 0, PAGE)), say(fallocate(other, 0, 0, 1));
	say(fallocate(ends[1], 0, 0, 1)), say(fallocate(open("/dev/null", O_RDWR), 0, 0, 1)), say(fallocate(77, 0, 0, 1));
	say(ftruncate(fd, INT64_MAX)), say(lseek(fd, INT64_MAX, SEEK_SET) == INT64_MAX);
	say(pwrite(fd, bytes, 10, INT64_MAX - 3)), say(ftruncate(fd, 1)), close(other), show(fd);
}

/* Files of this one file system. */
static void ranges(int fd)
{
	put(fd, 'a', 5 * PAGE, 0), put(fd, 'b', 5 * PAGE, 5 * PAGE), put(fd, 'c', 10, 9 * PAGE), show(fd);
	change(fd, COLLAPSE, 4 * PAGE, 2 * PAGE), change(fd, COLLAPSE, 0, 8 * PAGE), change(fd, COLLAPSE, 1, PAGE);
	change(fd, INSERT, 2 * PAGE, 3 * PAGE), change(fd, INSERT, 99 * PAGE, PAGE), change(fd, INSERT, 0, 10);
	say(fallocate(fd, INSERT, 0, 20 * TERA)), say(fallocate(fd, INSERT, 0, 16 * TERA - 11 * PAGE));
	say(fallocate(fd, ZERO, PAGE + 50, PAGE - 50)), say(fallocate(fd, ZERO | KEEP, 10 * PAGE, 3 * PAGE));
	say(fallocate(fd, ZERO, 9 * PAGE + 10, 2 * PAGE)), say(pread(fd, found, sizeof found, 0));
	for (int each = 0; each < 12; each++)
		say(found[each * PAGE]), say(found[each * PAGE + 99]);
	say(ftruncate(fd, 16 * TERA - PAGE)), say(ftruncate(fd, 16 * TERA - PAGE + 1));
	say(pwrite(fd, bytes, 10, 16 * TERA - PAGE - 3)), say(pwrite(fd, bytes, 10, 16 * TERA - PAGE));
	say(lseek(fd, 16 * TERA - PAGE, SEEK_SET) > 0), say(lseek(fd, 1, SEEK_CUR));
	say(ftruncate(fd, 0)), show(fd);
}

static void moved(int fd)
{
	int other = open("other", O_RDWR | O_CREAT | O_TRUNC, 0644), ends[2], null = open("/dev/null", O_WRONLY);
	off_t at = 2 * TERA - 5;

	say(ftruncate(fd, 2 * TERA)), put(fd, 'm', 3, 2 * TERA - 3);
	say(copy_file_range(fd, &at, other, NULL, 100, 0)), pipe(ends), at = 2 * TERA - 2;
	say(sendfile(ends[1], fd, &at, 100)), say(read(ends[0], found, 100)), show(other);
	at = 0, say(sendfile(null, fd, &at, 50 << 20)), close(null);
	close(other), close(ends[0]), close(ends[1]), say(ftruncate(fd, 0));
}

/* Holes of a file that is mapped: writing makes them data. */
static void mapped(int fd)
{
	char *place;

	say(ftruncate(fd, 64 * PAGE));
	place = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	place[20 * PAGE] = 'p', place[22 * PAGE - 1] = 'q', msync(place, 64 * PAGE, MS_SYNC);
	show(fd), say(fallocate(fd, PUNCH, 20 * PAGE, PAGE)), show(fd);
	place[20 * PAGE + 99] = 'r', put(fd, 's', 1, 20 * PAGE), say(place[20 * PAGE]), say(place[20 * PAGE + 99]);
	say(fallocate(fd, PUNCH, 20 * PAGE, PAGE)), place[20 * PAGE] = 't', msync(place, 64 * PAGE, MS_SYNC), show(fd);
	munmap(place, 64 * PAGE), show(fd), say(ftruncate(fd, 0));
}

static sigjmp_buf before;

static void no_page(int signal, siginfo_t *info, void *context)
{
	printf(" <%d %d>", signal, info->si_code), siglongjmp(before, 1);
}

/* What mappings had of a file that is cut is gone, even what they had copied; what comes anew is zeros. */
static void cut(int fd)
{
	struct sigaction action = { .sa_sigaction = no_page, .sa_flags = SA_SIGINFO };
	char *shared, *private;

	sigaction(SIGBUS, &action, NULL), put(fd, 'c', 4 * PAGE, 0);
	shared = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
	shared[2 * PAGE] = 's', private[PAGE] = 'p', private[PAGE + 1] = 'q', say(private[0]);
	say(ftruncate(fd, PAGE + 50)), say(shared[PAGE + 49]), say(shared[PAGE + 50]);
	for (volatile int each = 0; each < 3; each++)
		if (!sigsetjmp(before, 1))
			say(each ? (each > 1 ? (shared[2 * PAGE] = 1) : private[PAGE]) : shared[2 * PAGE]);
	say(ftruncate(fd, 4 * PAGE)), say(shared[2 * PAGE]), say(private[PAGE]), say(private[PAGE + 1]);
	munmap(shared, 4 * PAGE), munmap(private, 3 * PAGE), say(ftruncate(fd, 0)), putchar('\n');
}

static void limited(int fd)
{
	struct rlimit limit = { 3 * PAGE, 3 * PAGE };

	signal(SIGXFSZ, SIG_IGN), setrlimit(RLIMIT_FSIZE, &limit);
	change(fd, 0, 0, 3 * PAGE), change(fd, 0, 0, 3 * PAGE + 1), change(fd, KEEP, 0, 4 * PAGE);
	say(pwrite(fd, bytes, 10, 3 * PAGE - 1)), say(pwrite(fd, bytes, 10, 3 * PAGE)), show(fd);
}

int main(void)
{
	int disk = open("sparse", O_RDWR | O_CREAT | O_TRUNC, 0644), memory = memfd_create("sparse", 0);

	holes(memory), say(ftruncate(memory, 0)), reserved(memory), moved(memory), mapped(memory), cut(memory), refused(memory), putchar('\n');
	if (getenv("EXT4"))
		holes(disk), ranges(disk), moved(disk), mapped(disk), cut(disk), refused(disk), putchar('\n');
	limited(memory), putchar('\n');
	unlink("sparse"), unlink("other");
	return 0;
}
