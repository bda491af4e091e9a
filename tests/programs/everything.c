/* Something of all that accelerators have a hand in: code that changes, jumps, numbers, system calls, threads,
 * signals, faults, processes.  What it prints, the virtual time among it, depends on none of them. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t alarms, faults;
static sigjmp_buf after;
static long shared;

static void tell(const char *name, long value)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%d bits: %s %ld at %ld.%09ld\n", (int)sizeof value * 8, name, value, (long)now.tv_sec, now.tv_nsec);
	fflush(stdout);
}

__attribute__((noinline)) long step(long value, int by)
{
	return (value ^ value >> 7) + by;
}

static void *work(void *argument)
{
	for (long round = 0; round < 100; round++) {
		pthread_mutex_lock(&lock);
		shared = step(shared, (int)(long)argument) & 0xffffff;
		pthread_mutex_unlock(&lock);
		if (round % 25 == 0)
			usleep(20);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[3];

	for (long number = 0; number < 3; number++)
		pthread_create(&thread[number], NULL, work, (void *)(number + 1));
	for (int number = 0; number < 3; number++)
		pthread_join(thread[number], NULL);
	tell("threads", shared);
}

/* mov $number,%eax; ret: written anew, in two pages in turn. */
static void changes(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned char function[6] = {0xb8, 0, 0, 0, 0, 0xc3};
	unsigned char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	for (unsigned round = 0; round < 150; round++) {
		unsigned char *at = code + (round % 3 ? 4093 : 128);

		memcpy(function + 1, &round, 4);
		memcpy(at, function, sizeof function);
		sum += ((unsigned (*)(void))at)();
		code[128 + 1] = round;	/* a byte of the other one */
	}
	tell("code", sum);
#endif
}

/* By operations alone whose results the standard tells to the last bit. */
static void numbers(void)
{
	double sum = 0, product = 1;
	long double wide = 1;
	float narrow = 0;

	for (int round = 1; round < 500; round++) {
		sum += sqrt(round) / 3;
		product = product * 1.0009765625 - sum / 1024;
		wide = wide / 3 + round;
		narrow = narrow * .75f + (float)round;
	}
	printf("%.17g %.17g %.9g %a\n", sum, product, narrow, (double)wide);
	tell("numbers", (long)sum);
}

static void alarmed(int number)
{
	alarms += number == SIGALRM;
}

static void failed(int number)
{
	faults++;
	siglongjmp(after, number);
}

static void signals(void)
{
	struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	volatile long rounds = 0;
	volatile int zero = 0;

	signal(SIGALRM, alarmed);
	signal(SIGSEGV, failed);
	signal(SIGFPE, failed);
	setitimer(ITIMER_REAL, &every, NULL);
	while (alarms < 3)
		rounds++;
	setitimer(ITIMER_REAL, &never, NULL);
	if (sigsetjmp(after, 1) == 0)
		*(volatile int *)(long)zero = 1;
	if (sigsetjmp(after, 1) == 0)
		zero = alarms / zero;
	tell("signals", faults * 1000000L + rounds);
}

static int compare(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

/* Calls of the kernel that the engine may answer by itself, and jumps through pointers between pages. */
static void calls(void)
{
	long sum = 0;
	int values[200];

	for (int round = 0; round < 200; round++) {
		struct timeval now;

		gettimeofday(&now, NULL);
		sum += getppid() != getpid();
		values[round] = round * 7919 % 200;
	}
	qsort(values, 200, sizeof values[0], compare);
	tell("calls", sum + values[7]);
}

int main(int count, char **arguments)
{
	int status = 0;

	changes();
	numbers();
	calls();
	threads();
	signals();
	if (count > 1 && fork() == 0)
		execv(arguments[1], arguments + 1);
	if (count > 1)
		wait(&status);
	tell("status", status);
	return count;
}
