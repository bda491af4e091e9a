/* Timers, handlers, alternate stacks, jumping out of a fault, masks, queued and child signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, children, queued;
static sigjmp_buf out;
static char *bad;

static void on_alarm(int number) { alarms++; }
static void on_child(int number, siginfo_t *info, void *context) { children += info->si_status; }
static void on_queue(int number, siginfo_t *info, void *context) { queued = queued * 10 + info->si_value.sival_int; }

static void on_fault_again(int number, siginfo_t *info, void *context) { *(volatile char *)bad = 1; }

static void on_fault(int number, siginfo_t *info, void *context)
{
	char here;
	stack_t now;

	sigaltstack(NULL, &now);
	printf("fault %d code %d at %s on %s stack\n", number, info->si_code,
	    info->si_addr == bad ? "the place" : "another place",
	    &here >= (char *)now.ss_sp && &here < (char *)now.ss_sp + now.ss_size ? "other" : "own");
	siglongjmp(out, 1);
}

/* What /proc says of the signals: of /proc/self/stat fields 31 to 34. */
static void told(void)
{
	char line[512];
	FILE *status = fopen("/proc/self/status", "r"), *stat = fopen("/proc/self/stat", "r");

	while (fgets(line, sizeof line, status))
		if (!strncmp(line, "Sig", 3) ? line[3] != 'Q' : !strncmp(line, "ShdPnd", 6) || !strncmp(line, "NoNew", 5))
			printf("%s", line);
	fgets(line, sizeof line, stat);
	char *at = strrchr(line, ')') + 2;
	for (int field = 3; field < 35; field++) {
		char *word = strsep(&at, " ");
		if (field >= 31)
			printf("%s%c", word, field == 34 ? '\n' : ' ');
	}
	fclose(status);
	fclose(stat);
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };
	sigaction(number, &action, NULL);
}

#ifdef __i386__
static unsigned given; /* to the interrupted code: a segment */

static void on_segments(int number, siginfo_t *info, void *context)
{
	unsigned ds, es;
	greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;

	__asm__ volatile("mov %%ds, %0; mov %%es, %1; push %%ss; pop %%ds; push %%ss; pop %%es"
	    : "=r"(ds), "=r"(es) : : "memory");
	printf("in a handler %x %x, before %x %x\n", ds & 0xffff, es & 0xffff, saved[REG_DS], saved[REG_ES]);
	if (given)
		saved[REG_ES] = saved[REG_FS] = given;
}

/* A handler has its data segments, and the interrupted code gets back what it had, or what the frame says. */
static void segments(void)
{
	static const unsigned all[] = { 0, 0x23, 3, 0x28, 0x33, 0x63, 0x6b, 0x777, 0xfff3, 0x2b };
	unsigned es, fs;

	install(SIGUSR1, on_segments, 0);
	raise(SIGUSR1);
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		given = i < 2 ? 0 : all[i];
		__asm__ volatile("mov %%edx, %%es; int $0x80; mov %%es, %%edx; push %%ss; pop %%es; mov %%fs, %%ecx"
		    : "=d"(es), "=c"(fs)
		    : "a"(37 /* kill */), "b"(getpid()), "c"(SIGUSR1), "d"(i < 2 ? all[i] : 0) : "memory");
		printf("after it %x %x\n", es & 0xffff, fs & 0xffff);
	}
}
#endif

static long place(const stack_t *stack, const char *from)
{
	return !stack->ss_sp || stack->ss_size == -1 ? -1 : (char *)stack->ss_sp - from;
}

/* What may be a stack for handlers, and what is told of it. */
static void stacks(void)
{
	static const int all[][2] = { { 0, 2047 }, { 0, 2048 }, { 1, 5120 }, { 2, 0 }, { 3, 8192 }, { 1 << 31, 8192 },
	    { 1 << 31 | 1, 8200 }, { 1 << 31 | 2, 8208 }, { 4, 8192 }, { 1 << 30, 8192 }, { 0, 0 } };
	static char there[8192];
	stack_t now;

	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		stack_t other = { .ss_sp = there + i, .ss_flags = all[i][0], .ss_size = all[i][1] };

		memset(&now, -1, sizeof now);
		errno = 0;
		printf("stack %d:", sigaltstack(&other, &now));
		printf(" %d before: %ld %x %ld", errno, place(&now, there), now.ss_flags, (long)now.ss_size);
		sigaltstack(NULL, &now);
		printf(" now: %ld %x %ld\n", place(&now, there), now.ss_flags, (long)now.ss_size);
	}
	printf("no stack at all: %d %d", sigaltstack((void *)8, NULL), errno);
	printf(" %d %d\n", sigaltstack(NULL, (void *)8), errno);
}

static char around[3][65536];
static int step;

static void show_stack(const char *when, const stack_t *stack)
{
	printf(" %s %ld %x %ld,", when, place(stack, around[0]), stack->ss_flags, (long)stack->ss_size);
}

static void on_stack(int number, siginfo_t *info, void *context)
{
	stack_t now, other = { .ss_sp = around[2], .ss_size = 65536 }, *saved = &((ucontext_t *)context)->uc_stack;
	char *here = (char *)&now;

	show_stack("saved", saved);
	sigaltstack(NULL, &now);
	show_stack("now", &now);
	if (step % 4 == 1)
		printf(" changed %d", sigaltstack(&other, NULL));
	if (step % 4 == 2)
		saved->ss_size -= 16;
	if (step % 4 == 3)
		saved->ss_size = 16;
	printf(" on %ld", here >= around[0] && here < around[3] ? (here - around[0]) / 65536 : -1);
}

/* The stack for handlers is what it was when a handler returns: what the frame says, if that may be. */
static void returns(void)
{
	static const int flags[] = { SS_DISABLE, 0, SS_ONSTACK, 1 << 31, 1 << 31 | SS_ONSTACK };
	stack_t stack = { .ss_sp = around[1], .ss_size = 65536 };

	for (unsigned which = 0; which < 5; which++)
		for (step = 0; step < 8; step++) {
			stack.ss_flags = flags[which];
			sigaltstack(&stack, NULL);
			install(SIGUSR2, on_stack, step < 4 ? 0 : SA_ONSTACK);
			printf("returns %x %d:", flags[which], step);
			raise(SIGUSR2);
			sigaltstack(NULL, &stack);
			show_stack(" then", &stack);
			printf("\n");
			stack.ss_sp = around[1], stack.ss_size = 65536;
		}
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

static void ready(int number, siginfo_t *info, void *context)
{
	printf(" <%d %d %lx %d>", number, info->si_code, info->si_code == SI_KERNEL ? 0 : info->si_band,
	    info->si_code == SI_KERNEL ? 0 : info->si_fd);
}

/* Files that tell their owner that they are ready. */
static void driven(int fd, int to)
{
	char bytes[4];

	printf("driven:"), fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK), write(to, "a", 1), read(fd, bytes, 4);
	fcntl(fd, F_SETOWN, getpid()), write(to, "b", 1), read(fd, bytes, 4), printf(" read");
	fcntl(fd, F_SETSIG, SIGRTMIN + 1), write(to, "c", 1), read(fd, bytes, 4), fcntl(fd, F_SETOWN, -getpgrp());
	write(to, "d", 1), read(fd, bytes, 4), fcntl(fd, F_SETFL, O_NONBLOCK), write(to, "e", 1), read(fd, bytes, 4);
	fcntl(fd, F_SETFL, O_ASYNC), close(to), putchar('\n'), close(fd);
}

static void all_driven(void)
{
	int ends[2];

	setpgid(0, 0), install(SIGIO, ready, 0), install(SIGRTMIN + 1, ready, 0);
	pipe(ends), driven(ends[0], ends[1]), socketpair(AF_UNIX, SOCK_STREAM, 0, ends), driven(ends[0], ends[1]);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), driven(ends[0], ends[1]);
}

static pid_t other;

static void *meets(void *barrier)
{
	other = syscall(SYS_gettid), pthread_barrier_wait(barrier), pthread_barrier_wait(barrier);
	return NULL;
}

/* A signal for a thread's number is its process's; real-time ones are as many as the limit allows. */
static void numbers(void)
{
	struct rlimit none = { 0, 0 };
	union sigval value = { 3 };
	pthread_barrier_t barrier;
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set), sigaddset(&set, SIGUSR2), sigaddset(&set, SIGRTMIN), sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&barrier, NULL, 2), pthread_create(&thread, NULL, meets, &barrier);
	setvbuf(stdout, NULL, _IONBF, 0), pthread_barrier_wait(&barrier), printf("%d", kill(other, SIGUSR2)), sigpending(&set);
	printf(" %d %d", sigismember(&set, SIGUSR2), sigqueue(other, SIGUSR2, value)), setrlimit(RLIMIT_SIGPENDING, &none);
	printf(" %d", syscall(SYS_tgkill, getpid(), getpid(), SIGRTMIN)), perror("tgkill");
	printf(" %d", sigqueue(getpid(), SIGRTMIN, value)), perror("sigqueue");
	printf(" %d\n", kill(other, 0)), pthread_barrier_wait(&barrier), pthread_join(thread, NULL);
}

int main(void)
{
	struct itimerval ticks = { { 0, 10000 }, { 0, 10000 } }, none = { { 0 } };
	stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };
	sigset_t set, old;
	struct timespec pause_time = { 0, 200000000 }, left;
	int zero = 0;

	/* Who starts it may ignore some, as nohup(1) does; make(1) ignores the C library's own. */
	for (int number = 1; number <= 64; number++)
		syscall(SYS_rt_sigaction, number, (long[4]){ 0 }, NULL, 8);
	setvbuf(stdout, NULL, _IONBF, 0);
#ifdef __i386__
	segments();
#endif
	stacks();
	returns();
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &ticks, NULL);
	while (alarms < 5)
		pause();
	setitimer(ITIMER_REAL, &none, NULL);
	printf("%d alarms\n", alarms >= 5);

	alarm(1);
	pause_time.tv_sec = 5;
	printf("nanosleep %d %s\n", nanosleep(&pause_time, &left), strerror(errno));
	printf("left %d\n", (int)left.tv_sec);
#ifdef __i386__
	printf("with padding %ld\n", syscall(407 /* clock_nanosleep_time64 */, CLOCK_MONOTONIC, 0,
					     (long long[]){ 0, 1000 | 77LL << 32 }, NULL));
#endif

	sigaltstack(&other, NULL);
	install(SIGSEGV, on_fault, SA_ONSTACK);
	install(SIGBUS, on_fault, SA_ONSTACK);
	install(SIGFPE, on_fault, 0);
	bad = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sigsetjmp(out, 1) == 0)
		*bad = 1;
	munmap(bad, 4096);
	if (sigsetjmp(out, 1) == 0)
		printf("%d\n", *bad);
	bad = NULL;
	if (sigsetjmp(out, 1) == 0)
		*(volatile char *)bad = 1;

	install(SIGCHLD, on_child, SA_RESTART);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	if (fork() == 0)
		_exit(6);
	while (children == 0)
		sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	wait(NULL);
	printf("child said %d\n", children);

	install(SIGRTMIN, on_queue, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 1; i <= 3; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("queued %d\n", queued);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGRTMIN + 3);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGUSR2, SIG_DFL);
	raise(SIGUSR2);
	signal(SIGTTOU, SIG_IGN);
	told();
	for (int i = 0; i < 3; i++)
		printf("sigwait %d\n", sigwaitinfo(&set, NULL));

#if defined(__x86_64__) || defined(__i386__)	/* elsewhere the frame goes beyond the stack's end, for ever */
	static char around[65536];
	stack_t middle = { .ss_sp = around + 32768, .ss_size = 16384 };
	int status;

	if (fork() == 0) {
		sigaltstack(&middle, NULL);
		install(SIGSEGV, on_fault_again, SA_ONSTACK | SA_NODEFER);
		*(volatile char *)bad = 1;
	}
	wait(&status);
	printf("too many faults: %d\n", WTERMSIG(status));
#endif
	signal(SIGPIPE, SIG_IGN);
	int ends[2];
	pipe(ends);
	close(ends[0]);
	printf("write %zd %s\n", write(ends[1], "x", 1), strerror(errno));
	signal(SIGFPE, SIG_DFL);
	fflush(stdout), all_driven(), numbers();
	return 1 / zero;
}
