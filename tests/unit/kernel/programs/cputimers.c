/* Timers that go only while the process works. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int virtual, profiled, real;

static void count(int number)
{
	if (number == SIGVTALRM)
		virtual++;
	else if (number == SIGPROF)
		profiled++;
	else
		real++;
}

static void work(volatile int *until, int least)
{
	for (volatile long at = 0; *until < least; at++)
		;
}

static void report(const char *what, pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	printf("%s %s by %d\n", what, WIFSIGNALED(status) ? "killed" : "ended",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(void)
{
	struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } }, left;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec soon = { { 0, 0 }, { 0, 20000000 } }, rest;
	timer_t timer;
	pid_t pid;

	setvbuf(stdout, NULL, _IONBF, 0);
	signal(SIGVTALRM, count);
	signal(SIGPROF, count);
	signal(SIGUSR1, count);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	usleep(200000);
	printf("asleep %d %d\n", virtual, profiled);
	work(&virtual, 5);
	printf("at work %d, about as many %d\n", virtual, profiled > 2);
	getitimer(ITIMER_VIRTUAL, &left);
	printf("left at most %d, interval %d\n", left.it_value.tv_usec <= 10000, (int)left.it_interval.tv_usec);
	setitimer(ITIMER_VIRTUAL, &never, &left);
	setitimer(ITIMER_PROF, &never, NULL);
	if ((pid = fork()) == 0)
		_exit(getitimer(ITIMER_PROF, &left) || left.it_value.tv_usec);
	report("child without timers", pid);
	timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	usleep(100000);
	timer_gettime(timer, &rest);
	printf("asleep %d, most is left %d\n", real, rest.it_value.tv_nsec > 10000000);
	work(&real, 1);
	printf("at work %d\n", real);
	timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	work(&real, 2);
	printf("thread at work %d\n", real);
	return 0;
}
