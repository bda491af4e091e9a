/*
 * Queued signals from everywhere come upon threads that do nothing but run work(): from two threads,
 * from another process, from a timer; and one thread is jumped out of it again and again.  argv[1] is
 * how many each sender sends, argv[2] how many jumps there are; every signal has a number.  Prints what has been lost, doubled, or came from
 * outside of the program's text, and the workers' results, which must be what work() always gives.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define	WORKERS	3
#define	SENDERS	4		/* two threads, a process, a timer */
#define	MOST	10000
#define	ROUND	(SIGRTMIN + 1)	/* and the following: one for each sender */
#define	LEAP	(SIGRTMIN + 1 + SENDERS)

#ifdef __i386__
#define	PC gregs[REG_EIP]
#elif defined(__aarch64__)
#define	PC pc
#else
#define	PC gregs[REG_RIP]
#endif

extern char __executable_start, etext;
static pthread_t workers[WORKERS], jumper;
static volatile unsigned char seen[SENDERS][MOST];
static volatile long strange, ticks, landed, alive, wrong;
static volatile int done;
static unsigned long right;
static int wanted;
static sigjmp_buf back;
static const struct timespec moment = { 0, 2000 };

__attribute__((noinline)) unsigned long
work(unsigned long seed)
{
	unsigned long table[16] = { 0 };
	int i;

	for (i = 0; i < 40; i++) {
		seed = seed * 1103515245ul + (seed >> 7) + table[seed % 16];
		if (seed & 4)
			table[i % 16] ^= seed;
		else if (i % 3 == 0)
			seed /= table[i % 16] | 3;
	}
	return (seed);
}

static void
look(void *context)
{
	char *pc = (char *)(unsigned long)((ucontext_t *)context)->uc_mcontext.PC;

	if (pc < &__executable_start || pc >= &etext)
		__atomic_add_fetch(&strange, 1, __ATOMIC_SEQ_CST);
}

static void
numbered(int signal, siginfo_t *info, void *context)
{
	look(context);
	__atomic_add_fetch(&seen[signal - ROUND][info->si_value.sival_int], 1, __ATOMIC_SEQ_CST);
}

static void
ticked(int signal, siginfo_t *info, void *context)
{
	(void) signal;
	look(context);
	__atomic_add_fetch(&ticks, 1 + info->si_overrun, __ATOMIC_SEQ_CST);
}

static void
leap(int signal, siginfo_t *info, void *context)
{
	(void) signal, (void) info;
	look(context);
	siglongjmp(back, 1);
}

static void
only(int signal)
{
	sigset_t set;
	int i;

	sigfillset(&set);
	for (i = 0; i < SENDERS && signal == 0; i++)
		sigdelset(&set, ROUND + i);
	if (signal != 0)
		sigdelset(&set, signal);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

static void *
worker(void *unused)
{
	only(0);
	__atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
	while (!done)
		if (work(7) != right)
			__atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
	return (unused);
}

static void *
jumping(void *unused)
{
	if (sigsetjmp(back, 1) != 0)
		landed++;
	only(LEAP);
	__atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
	while (!done)
		if (work(7) != right)
			__atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
	return (unused);
}

static void *
sender(void *which)
{
	union sigval value;
	int i;

	for (i = 0; i < wanted; i++) {
		value.sival_int = i;
		while (pthread_sigqueue(workers[i % WORKERS], ROUND + (int)(long)which, value) != 0)
			nanosleep(&moment, NULL);	/* the queue is full */
	}
	return (which);
}

static void
process(void)
{
	union sigval value;
	int i;

	for (i = 0; i < wanted; i++) {
		value.sival_int = i;
		while (sigqueue(getppid(), ROUND + 2, value) != 0)
			nanosleep(&moment, NULL);
	}
	_exit(0);
}

static void
handle(int signal, void (*function)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = function, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(signal, &action, NULL);
}

int
main(int argc, char **argv)
{
	struct itimerspec often = { { 0, 1000 }, { 0, 1000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = ROUND + 3 };
	pthread_t threads[2];
	timer_t timer;
	pid_t child;
	long i, j, before, jumps, lost = 0, doubled = 0;

	wanted = argc > 1 ? atoi(argv[1]) : 100;
	jumps = argc > 2 ? atoi(argv[2]) : 10;
	for (i = 0; i < 3; i++)
		handle(ROUND + i, numbered);
	handle(ROUND + 3, ticked);
	handle(LEAP, leap);
	only(SIGHUP);
	right = work(7);
	for (i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	pthread_create(&jumper, NULL, jumping, NULL);
	while (alive < WORKERS + 1)
		nanosleep(&moment, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (ticks < wanted)
		nanosleep(&moment, NULL);
	timer_delete(timer);
	if ((child = fork()) == 0)
		process();
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, sender, (void *)i);
	for (i = 0; i < jumps; i++) {
		before = alive;
		pthread_kill(jumper, LEAP);
		while (alive == before)
			nanosleep(&moment, NULL);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	waitpid(child, NULL, 0);
	for (i = 0; i < 50; i++)		/* let what is queued arrive */
		nanosleep(&moment, NULL);
	done = 1;
	for (i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	pthread_join(jumper, NULL);
	for (j = 0; j < 3; j++)
		for (i = 0; i < wanted; i++) {
			lost += seen[j][i] == 0;
			doubled += seen[j][i] > 1;
		}
	printf("%d sent by each of 3, %ld lost, %ld doubled; %d ticks; %ld jumps; %ld strange; %ld wrong\n",
	    wanted, lost, doubled, ticks >= wanted, landed, strange, wrong);
	return (0);
}
