/* Threads that take turns at a lock, a forked child, a pipe and signals: its output never varies. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long total, alarms;

static void handler(int number) { (void)number; alarms++; }

static void *work(void *argument)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		for (int j = 0; j < 300; j++)
			total++;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	int ends[2];
	char byte;

	signal(SIGUSR1, handler);
	pipe(ends);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	if (fork() == 0) {
		for (int i = 0; i < 5; i++) {
			kill(getppid(), SIGUSR1);
			write(ends[1], "x", 1);
		}
		_exit(0);
	}
	for (int i = 0; i < 5; i++)
		while (read(ends[0], &byte, 1) != 1)
			;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	wait(NULL);
	printf("%ld %d\n", total, alarms > 0);
	return 0;
}
