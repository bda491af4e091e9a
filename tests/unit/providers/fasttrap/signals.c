/*
 * argv[1] queued signals come upon a thread that runs traced code of its own;
 * each handler looks where it has come.  Prints how many came and how many
 * came from outside the program's text.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

extern char __executable_start, etext;
static volatile long came, strange, done, wanted;
static volatile unsigned long place;

#ifdef __i386__
#define	PC gregs[REG_EIP]
#elif defined(__aarch64__)
#define	PC pc
#else
#define	PC gregs[REG_RIP]
#endif

static void
handler(int signal, siginfo_t *info, void *context)
{
	char *pc = (char *)(unsigned long)((ucontext_t *)context)->uc_mcontext.PC;

	(void) signal;
	if (pc < &__executable_start || pc >= &etext)
		strange++;
	if (info->si_value.sival_int != came)
		strange++;
	came++;
}

__attribute__((noinline)) unsigned long
work(unsigned long seed)
{
	static unsigned long table[64];
	int i;

	for (i = 0; i < 64; i++) {
		seed = seed * 6364136223846793005ul + (seed >> 7) + table[seed % 64];
		if (seed & 4)
			table[i] ^= seed;
	}
	return (seed);
}

static void *
worker(void *unused)
{
	unsigned long seed = 1;

	while (!done)
		place = seed = work(seed) | 1;
	return (unused);
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct timespec pause = { 0, 500 };
	pthread_t thread;
	int i;

	wanted = argc > 1 ? atoi(argv[1]) : 100;
	sigaction(SIGRTMIN + 1, &action, NULL);
	pthread_create(&thread, NULL, worker, NULL);
	while (place == 0)
		nanosleep(&pause, NULL);
	for (i = 0; i < wanted; i++) {
		union sigval value = { .sival_int = i };

		pthread_sigqueue(thread, SIGRTMIN + 1, value);
		nanosleep(&pause, NULL);	/* it comes where the thread is then */
	}
	while (came < wanted)
		nanosleep(&pause, NULL);
	done = 1;
	pthread_join(thread, NULL);
	printf("%ld came, %ld strange\n", came, strange);
	return (0);
}
