/* Calls whose results are the same for a while, and calls that read clocks; prints what it finds. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failed;

static void check(int good, const char *what)
{
	if (!good) {
		printf("wrong: %s\n", what);
		failed = 1;
	}
}

static void times(void)
{
	struct timespec t = {0, 0};
	struct timeval v;
	for (int clock = -1; clock < 14; clock++) {
		int result = clock_gettime(clock, &t);
		printf("clock %d: %d %ld.%09ld\n", clock, result, (long)t.tv_sec, t.tv_nsec);
	}
	gettimeofday(&v, NULL);
	time_t now, same = time(&now);
	check(now == same && now == time(NULL), "time");
	printf("%ld.%06ld %ld\n", (long)v.tv_sec, (long)v.tv_usec, (long)now);
}

static void places(void)
{
	long page = 4096;
	char *two = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec before, after;
	munmap(two + 2 * page, page);
	struct timespec *across = (struct timespec *)(two + page - 8), *end = (struct timespec *)(two + 2 * page - 16);
	clock_gettime(CLOCK_MONOTONIC, &before);
	check(clock_gettime(CLOCK_MONOTONIC, across) == 0 && across->tv_nsec > before.tv_nsec, "two pages");
	check(clock_gettime(CLOCK_MONOTONIC, end) == 0 && end->tv_nsec > across->tv_nsec, "a page's end");
	check(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (void *)(two + 2 * page - 8)) == -1 && errno == EFAULT, "beyond");
	check(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, NULL) == -1 && errno == EFAULT, "nowhere");
	check(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (void *)-4096L) == -1 && errno == EFAULT, "the kernel's");
	mprotect(two, page, PROT_READ);
	check(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (void *)two) == -1 && errno == EFAULT, "read only");
	mprotect(two, page, PROT_READ | PROT_WRITE);
	if (fork() == 0) {  /* pages are shared until one is written */
		clock_gettime(CLOCK_MONOTONIC, end);
		clock_gettime(CLOCK_MONOTONIC, end);
		_exit(0);
	}
	long mine = end->tv_nsec;
	wait(NULL);
	check(end->tv_nsec == mine, "another process's page");
	clock_gettime(CLOCK_MONOTONIC, &after);
	printf("%ld %ld\n", before.tv_nsec, after.tv_nsec);
}

static void *thread(void *last)
{
	for (int i = 0; i < 50; i++) {
		check(gettid() != getpid(), "a thread's number");
		check(getpid() == (long)last, "a thread's process");
		sched_yield();
	}
	return NULL;
}

static void numbers(void)
{
	pthread_t other;
	pid_t mine = getpid(), child;
	int ends[2], go[2];
	char byte;
	check(getpid() == mine && gettid() == mine, "a process's number");
	pthread_create(&other, NULL, thread, (void *)(long)mine);
	for (int i = 0; i < 50; i++) {
		check(gettid() == mine, "the first thread's number");
		sched_yield();
	}
	pthread_join(other, NULL);
	check(pipe(ends) == 0 && pipe(go) == 0, "pipe");
	if ((child = fork()) == 0) {
		check(getppid() == mine && getppid() == mine && getpid() != mine, "a child's numbers");
		if (fork() == 0) {
			pid_t above = getppid();
			check(getppid() == above && write(ends[1], "", 1) == 1, "above");
			check(read(go[0], &byte, 1) == 1, "told that it has gone");
			check(getppid() == 1 && getppid() == 1, "init's child");
			check(getpgrp() != getpid(), "a group");
			setpgid(0, 0);
			check(getpgrp() == getpid() && getpgrp() == getpid(), "an own group");
			check(getuid() == 0 && geteuid() == 0 && getgid() == 0 && getegid() == 0, "root");
			check(setresgid(7, 8, 9) == 0 && setresuid(1, 2, 3) == 0, "other users");
			check(getuid() == 1 && geteuid() == 2 && getgid() == 7 && getegid() == 8, "other users' numbers");
			check(getuid() == 1 && geteuid() == 2 && getgid() == 7 && getegid() == 8, "the same once more");
			check(write(ends[1], failed ? "!" : "", 1) == 1, "done");
			_exit(0);
		}
		check(read(ends[0], &byte, 1) == 1, "its child");
		_exit(failed);
	}
	int status;
	waitpid(child, &status, 0);
	check(status == 0, "the child");
	check(write(go[1], "", 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 0, "the child's child");
}

__attribute__((noinline)) static void rounds(int count)
{
	struct timespec now, then = {0, 0};
	for (int i = 0; i < count; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		check(now.tv_nsec > then.tv_nsec || now.tv_sec > then.tv_sec, "time passes");
		then = now;
		getppid();
	}
}

static void registers(void)
{
#ifdef __x86_64__
	for (int i = 0; i < 3; i++) {
		unsigned long next, rcx, result = 110;
		__asm__ volatile("syscall\n1: lea 1b(%%rip), %1" : "=c"(rcx), "=r"(next), "+a"(result) : : "r11", "memory");
		check(rcx == next && result == (unsigned long)getppid(), "registers");
	}
#endif
}

int main(void)
{
	struct timespec t;
	times();
	places();
	numbers();
	for (int i = 0; i < 6; i++) {
		rounds(500);
		check(access("/nowhere", F_OK) == -1 && errno == ENOENT, "no file");
	}
	registers();
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%ld\n", t.tv_nsec);
	if (!failed)
		printf("all is well\n");
	return failed;
}
