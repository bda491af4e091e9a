/* What a child gets of memory, pages that change their places, names that leave whiteouts, and other advice. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

#define PAGE 4096
#define IN_CHILD(...) do { \
	fflush(stdout); \
	if (fork() == 0) { \
		__VA_ARGS__; \
		fflush(stdout), _exit(0); \
	} \
	wait(NULL); \
} while (0)

static void forked(char *shared)
{
	char *own = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there[4];

	memset(own, 'a', 4 * PAGE);
	say(madvise(own, PAGE, MADV_WIPEONFORK)), say(madvise(own + 2 * PAGE, PAGE, MADV_DONTFORK));
	say(madvise(shared, PAGE, MADV_WIPEONFORK)), say(madvise(shared, PAGE, MADV_KEEPONFORK));
	IN_CHILD(say(own[0]), say(own[PAGE]), say(mincore(own, 2 * PAGE, there)), say(mincore(own + 2 * PAGE, PAGE, there)),
	         say(own[3 * PAGE]); own[0] = 'b'; IN_CHILD(say(own[0]), say(own[PAGE])));
	say(own[0]), say(own[2 * PAGE]);
	say(madvise(own, 4 * PAGE, MADV_DOFORK)), say(madvise(own, 4 * PAGE, MADV_KEEPONFORK));
	IN_CHILD(say(own[0]), say(own[2 * PAGE]));
	munmap(own, 4 * PAGE);
}

static void remapped(char *shared)
{
	char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int page = 0; page < 4; page++)
		shared[page * PAGE] = 'a' + page;
	say(remap_file_pages(shared, PAGE, 0, 2, 0)), say(shared[0]), say(remap_file_pages(shared, 2 * PAGE, 0, 1, 0));
	say(shared[0]), say(shared[PAGE]), say(remap_file_pages(shared, 4 * PAGE, 0, 0, 0)), say(shared[PAGE]);
	say(remap_file_pages(shared, PAGE, 1, 0, 0)), say(remap_file_pages(shared, 1, 0, 0, 0));
	say(remap_file_pages(shared + 1, PAGE, 0, 3, 0)), say(shared[0]);
	say(remap_file_pages(own, PAGE, 0, 0, 0)), say(remap_file_pages((void *)PAGE, PAGE, 0, 0, 0));
}

static void whiteouts(void)
{
	struct stat node;

	say(renameat2(AT_FDCWD, "file", AT_FDCWD, "moved", RENAME_WHITEOUT)), say(lstat("file", &node));
	printf(" %o %lx", node.st_mode, (long)node.st_rdev);
	say(renameat2(AT_FDCWD, "moved", AT_FDCWD, "again", RENAME_WHITEOUT | RENAME_NOREPLACE));
	say(renameat2(AT_FDCWD, "again", AT_FDCWD, "file", RENAME_WHITEOUT | RENAME_NOREPLACE));
	say(renameat2(AT_FDCWD, "again", AT_FDCWD, "file", RENAME_WHITEOUT | RENAME_EXCHANGE));
	say(unlink("file")), say(unlink("moved")), say(unlink("again"));
}

static void priorities(void)
{
	static const int wanted[] = { 2 << 13 | 4, 4 << 13, 5 << 13, 3, 0, 3 << 13 | 7, 2 << 13 | 1 };

	for (int i = 0; i < (int)(sizeof wanted / sizeof *wanted); i++)
		say(syscall(SYS_ioprio_set, 1, 0, wanted[i])), say(syscall(SYS_ioprio_get, 1, 0));
	IN_CHILD(say(syscall(SYS_ioprio_get, 1, 0)));
	for (int which = -1; which < 5; which++)
		say(syscall(SYS_ioprio_get, which, 999999)), say(syscall(SYS_ioprio_set, which, 999999, 0));
}

static void impatient(void)
{
	char *bytes = calloc(1, 100000);
	struct iovec some = { bytes, 10 }, much = { bytes, 100000 };
	int ends[2];

	pipe(ends);
	say(preadv2(ends[0], &some, 1, -1, RWF_NOWAIT)), write(ends[1], "abc", 3);
	say(preadv2(ends[0], &some, 1, -1, RWF_NOWAIT)), say(pwritev2(ends[1], &much, 1, -1, RWF_NOWAIT));
	say(pwritev2(ends[1], &some, 1, -1, RWF_NOWAIT)), say(fcntl(ends[0], F_GETFL)), say(fcntl(ends[1], F_GETFL));
}

static void clocks(void)
{
	struct timex clock = { 0 };

	say(adjtimex(&clock) >= 0), say(clock.tick), say(clock_adjtime(CLOCK_REALTIME, &clock) >= 0);
	say(labs(clock.time.tv_sec - time(NULL)) < 2);
	say(clock_adjtime(CLOCK_MONOTONIC, &clock)), say(clock_adjtime(99, &clock));
#ifdef SYS_rt_sigtimedwait_time64
	long long limit[2] = { 0, 1000 }, found[2] = { 0 };
	sigset_t none;
	struct mmsghdr one = { 0 };
	int pair[2];

	sigemptyset(&none), socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), send(pair[1], "x", 1, 0);
	say(syscall(SYS_rt_sigtimedwait_time64, &none, NULL, limit, 8));
	say(syscall(SYS_recvmmsg_time64, pair[0], &one, 1, 0, limit)), say(limit[0]);
	say(syscall(SYS_sched_rr_get_interval_time64, 0, found)), say(found[0]);
	say(syscall(SYS_clock_settime64, CLOCK_MONOTONIC, found));
#else
	printf(" EAGAIN 1 0 0 0 EINVAL");
#endif
}

static volatile int signals;

static void count(int number, siginfo_t *info, void *context)
{
	signals += 1;
	printf(" signal %d code %d mine %d", number, info->si_code, info->si_pid == getpid());
}

/* A file that would become larger than the limit: each call fails with a signal. */
static void limited(void)
{
	struct sigaction action = { .sa_sigaction = count, .sa_flags = SA_SIGINFO };
	struct rlimit limit = { 8192, 8192 };
	int fd = open("limited", O_RDWR | O_CREAT, 0600);

	sigaction(SIGXFSZ, &action, NULL);
	setrlimit(RLIMIT_FSIZE, &limit);
	say(ftruncate(fd, 8193)), say(truncate("limited", 1 << 20)), say(posix_fallocate(fd, 0, 8193));
	say(ftruncate(fd, 8192)), say(pwrite(fd, "ab", 2, 8191)), say(pwrite(fd, "ab", 2, 8192));
	say(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 8192)), say(signals), say(unlink("limited"));
}

int main(void)
{
	int fd = open("file", O_RDWR | O_CREAT, 0600);
	char *shared;

	ftruncate(fd, 4 * PAGE);
	shared = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	forked(shared), puts("");
	remapped(shared), puts("");
	whiteouts(), puts("");
	priorities(), puts("");
	impatient(), puts("");
	clocks(), puts("");
	limited(), puts("");
	return 0;
}
