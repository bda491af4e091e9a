/* Walks that may not leave a directory, memory that stays locked, policies that children have or have not. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#define PAGE 4096
#define ARRAY(a) (sizeof(a) / sizeof *(a))

struct how { unsigned long long flags, mode, resolve; };
enum { NO_XDEV = 1, NO_MAGICLINKS = 2, NO_SYMLINKS = 4, BENEATH = 8, IN_ROOT = 16, CACHED = 32 };

static void walks(void)
{
	static const char *const paths[] = {
		"f", "./f", "d/../f", "..", "../f", "../in/f", "/", "/f", "/etc", "near", "near/", "far", "root", "up", "d/up",
		"d/near", "d/../..", ".", "missing", "/proc/self/exe", "self/exe", "self/fd/0", "self/cwd/f", "self/root", "self/status",
	};
	int limits[] = { 0, NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH, IN_ROOT, BENEATH | NO_SYMLINKS, IN_ROOT | NO_XDEV,
	                 NO_MAGICLINKS | BENEATH, BENEATH | IN_ROOT, 64 };
	int flags[] = { O_RDONLY, O_PATH | O_NOFOLLOW, O_RDWR | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY };
	struct how how;
	int in, fd;

	mkdir("in", 0777), mkdir("in/d", 0777), in = open("in", O_RDONLY | O_DIRECTORY);
	close(openat(in, "f", O_WRONLY | O_CREAT, 0666)), close(open("f", O_WRONLY | O_CREAT, 0666));
	symlinkat("f", in, "near"), symlinkat("../f", in, "far"), symlinkat("/f", in, "root"), symlinkat("..", in, "up");
	symlinkat("..", in, "d/up"), symlinkat("../near", in, "d/near"), symlinkat("/proc/self", in, "self");
	for (unsigned l = 0; l < ARRAY(limits); l++)
		for (unsigned f = 0; f < ARRAY(flags); f++) {
			printf("%d %o:", limits[l], flags[f]);
			for (unsigned p = 0; p < ARRAY(paths); p++) {
				if (limits[l] == NO_XDEV && strcmp(paths[p], "root") == 0)
					continue;  /* what lies below / is another file system in some places */
				how = (struct how){ flags[f], flags[f] & O_CREAT ? 0600 : 0, limits[l] };
				fd = syscall(SYS_openat2, in, paths[p], &how, sizeof how);
				if (fd >= 0 && flags[f] & O_CREAT && unlinkat(in, paths[p], 0) < 0)
					unlink(paths[p]);
				say(fd < 0 ? fd : 0);
				close(fd);
			}
			puts("");
		}
	how = (struct how){ O_RDONLY, 0, BENEATH };
	fd = syscall(SYS_openat2, AT_FDCWD, "in/../f", &how, sizeof how), say(fd < 0 ? fd : 0);
	fd = syscall(SYS_openat2, 99, "/f", &how, sizeof how), say(fd), how.resolve = NO_XDEV;
	fd = syscall(SYS_openat2, 99, "/dev", &how, sizeof how), say(fd < 0 ? -(errno == EBADF) : 0);
	how = (struct how){ O_RDONLY, 0, CACHED }, fd = syscall(SYS_openat2, in, "f", &how, sizeof how), say(fd < 0 ? fd : 0);
	how.flags = O_RDWR | O_CREAT, say(syscall(SYS_openat2, in, "f", &how, sizeof how));
	how.flags = O_RDWR | O_TRUNC, say(syscall(SYS_openat2, in, "f", &how, sizeof how));
}

static long locked(void)
{
	char line[256];
	long size = -1;
	FILE *status = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof line, status))
		sscanf(line, "VmLck: %ld", &size);
	fclose(status);
	return size;
}

/* Whether /proc tells device and inode of a file that is mapped as fstat does. */
static int shown(const struct stat *file)
{
	unsigned long inode;
	unsigned major, minor;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	int found = 0;

	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%*s %*s %*s %x:%x %lu", &major, &minor, &inode) == 3 && strstr(line, "/file\n"))
			found = inode == file->st_ino && makedev(major, minor) == file->st_dev;
	fclose(maps);
	return found;
}

static void locks(void)
{
	int fd = open("file", O_RDWR | O_CREAT, 0600);
	char *own = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *file, *both;
	struct stat attributes;
	int advice[] = { MADV_DONTNEED, MADV_FREE, MADV_REMOVE };

	memset(own, 'a', 8 * PAGE), munmap(own + 6 * PAGE, PAGE);
	say(mlock(own + PAGE, 2 * PAGE + 1)), say(locked()), say(munlock(own + 2 * PAGE, 1)), say(locked());
	say(mlock(own + 1, 1)), say(mlock(own + 5 * PAGE, 3 * PAGE)), say(locked());
	for (unsigned a = 0; a < ARRAY(advice); a++)
		for (int page = 0; page < 8; page++)
			say(madvise(own + page * PAGE, PAGE, advice[a]));
	say(own[PAGE]), say(own[2 * PAGE]), say(munmap(own, 2 * PAGE)), say(locked());
	fflush(stdout);
	if (fork() == 0) {
		struct rlimit limit = { 2 * PAGE, 2 * PAGE };

		say(locked()), setresuid(1, 1, 1), setrlimit(RLIMIT_MEMLOCK, &limit);
		own = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		say(mlock(own, 3 * PAGE)), say(mlock(own, 2 * PAGE)), say(mlock(own + PAGE, PAGE)), say(mlock(own + PAGE, 2 * PAGE));
		say(locked()), say(mlockall(MCL_CURRENT)), say(munlock(own, PAGE)), say(mlock(own + 3 * PAGE, 1)), say(locked());
		limit = (struct rlimit){ 0, 0 }, setrlimit(RLIMIT_MEMLOCK, &limit), say(mlock(own, 0)), say(mlock(own, 1));
		fflush(stdout), _exit(0);
	}
	wait(NULL);
	say(mlockall(0)), say(mlockall(8)), say(mlockall(4)), say(mlock2(own + 2 * PAGE, PAGE, 2));
	say(munlockall()), say(locked()), say(mlockall(MCL_FUTURE)), say(locked());
	own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), say(locked());
	say(munlockall()), say(locked()), munmap(own, PAGE);
	ftruncate(fd, 4 * PAGE), file = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(file, 'b', 4 * PAGE), say(madvise(file + PAGE, PAGE, MADV_REMOVE)), say(file[0]), say(file[PAGE]), say(file[2 * PAGE]);
	fsync(fd), fstat(fd, &attributes), say(attributes.st_size), say(!getenv("EXT4") || shown(&attributes));
	mprotect(file, PAGE, PROT_READ), say(madvise(file, PAGE, MADV_REMOVE)), say(madvise(file, PAGE, MADV_DONTNEED)), say(file[0]);
	both = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(both, 'c', 2 * PAGE), say(madvise(both, PAGE, MADV_REMOVE)), say(both[0]), say(both[PAGE]);
}

/* What smaps tells of the mapping at an address, in kB; with NULL of all of them. */
static void told_of(const char *start)
{
	static const char *const names[] = { "Size", "Rss", "Pss", "Shared_Dirty", "Private_Dirty", "Anonymous", "Locked" };
	char line[512], name[64];
	unsigned long first, last, size;
	int here = start == NULL;
	FILE *maps = fopen("/proc/self/smaps", "r");

	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx", &first, &last) == 2)
			here = first <= (unsigned long)start && (unsigned long)start < last;
		else if (here && sscanf(line, "%63[^:]: %lu", name, &size) == 2)
			for (unsigned n = 0; n < ARRAY(names); n++)
				if (strcmp(name, names[n]) == 0)
					say(size);
	fclose(maps);
}

static void residents(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT, 0600);
	char *own = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *file, *copy;
	char line[256], name[64];
	unsigned long size;
	FILE *all;

	memset(own, 'a', 3 * PAGE), mprotect(own + 5 * PAGE, PAGE, PROT_NONE), mlock(own, PAGE);
	told_of(own), told_of(own + 2 * PAGE), told_of(own + 5 * PAGE), fflush(stdout);
	if (fork() == 0)
		own[PAGE] = 'b', told_of(own), told_of(own + PAGE), fflush(stdout), _exit(0);
	wait(NULL), told_of(own + PAGE), munlock(own, PAGE);
	ftruncate(fd, 3 * PAGE);
	file = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), file[0] = file[2 * PAGE] = 'c', told_of(file);
	copy = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0), copy[PAGE] = 'd', told_of(copy);
	all = fopen("/proc/self/smaps_rollup", "r"), fgets(line, sizeof line, all), say(strstr(line, "[rollup]") != NULL);
	while (fgets(line, sizeof line, all))
		if (sscanf(line, "%63[^:]: %lu", name, &size) == 2 && (strncmp(name, "Pss", 3) == 0 && name[4] != 'D'))
			printf(" %s %d", name, size > 0);
	fclose(all);
}

struct attributes { unsigned size, policy; unsigned long long flags; int nice; unsigned priority; unsigned long long times[3]; unsigned shares[2]; };

static void told(void)
{
	struct attributes found = { 0 };
	struct sched_param parameter = { -1 };

	say(syscall(SYS_sched_getattr, 0, &found, sizeof found, 0));
	printf(" (%u %u %llu %d %u)", found.size, found.policy, found.flags, found.nice, found.priority);
	say(sched_getscheduler(0)), say(sched_getparam(0, &parameter)), say(parameter.sched_priority), say(getpriority(PRIO_PROCESS, 0));
}

static void in_child(void)
{
	fflush(stdout);
	if (fork() == 0)
		printf(" child"), told(), fflush(stdout), _exit(0);
	wait(NULL);
}

static void policies(void)
{
	struct attributes given[] = {
		{ 56, SCHED_BATCH, 0, 3, 0 }, { 48, SCHED_OTHER, 0, 30, 0 }, { 0, SCHED_OTHER, 0, 4, 0 }, { 56, SCHED_OTHER, 0, 5, 1 },
		{ 56, SCHED_FIFO, 0, 0, 0 }, { 56, SCHED_FIFO, 0, 0, 100 }, { 56, 99, 0, 0, 0 }, { 56, 0, 1 << 10, 0, 0 },
		{ 56, -1, 0, 0, 0 }, { 56, 77, 8, 6, 0 }, { 56, SCHED_OTHER, 0x10, 1, 0 }, { 56, SCHED_BATCH, 1, 7, 0 },
		{ 20, 0, 0, 0, 0 }, { 47, 0, 0, 0, 0 }, { 5000, 0, 0, 0, 0 }, { 56, SCHED_BATCH, 1, 8, 0 },
	};
	struct { struct attributes known; unsigned more[2]; } large = { { 64, SCHED_BATCH, 1, 9, 0 }, { 0 } };

	told();
	for (unsigned g = 0; g < ARRAY(given); g++) {
		printf("\n%u:", g), say(syscall(SYS_sched_setattr, 0, given + g, 0)), say(given[g].size);
		told();
		if (g % 5 == 0)
			in_child();
	}
	puts(""), say(syscall(SYS_sched_setattr, 0, &large, 0)), large.more[1] = 1, say(syscall(SYS_sched_setattr, 0, &large, 0));
	say(large.known.size), told(), in_child();
	say(syscall(SYS_sched_setattr, 0, NULL, 0)), say(syscall(SYS_sched_setattr, 0, given, 1)), say(syscall(SYS_sched_setattr, -1, given, 0));
	say(syscall(SYS_sched_setattr, 99999999, given, 0)), say(syscall(SYS_sched_getattr, 0, given, 47, 0)), say(syscall(SYS_sched_getattr, 0, given, 4097, 0));
	say(syscall(SYS_sched_getattr, 0, given, 48, 1)), say(syscall(SYS_sched_getattr, 0, NULL, 56, 0)), say(syscall(SYS_sched_getattr, 99999999, given, 56, 0));
	say(syscall(SYS_sched_getattr, 0, given, 48, 0)), say(given->size);
}

int main(void)
{
	walks(), puts("");
	locks(), puts("");
	residents(), puts("");
	if (getenv("UNCONFINED"))  /* nice values become lower again */
		policies(), puts("");
	return 0;
}
