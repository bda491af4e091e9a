/* Threads that share counters and a bounded queue: mutexes, condition variables, barriers, TLS. */
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PRODUCERS = 3, CONSUMERS = 2, ITEMS = 200, ROOM = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int queue[ROOM], count, produced, taken;
static long sum;
static __thread int mine;

static void first(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/status", syscall(SYS_gettid));
	printf("once, found %d\n", access(path, R_OK));
}

static void *produce(void *arg)
{
	pthread_once(&once, first);
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (count == ROOM)
			pthread_cond_wait(&emptied, &lock);
		queue[count++] = i;
		produced++;
		mine++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	pthread_barrier_wait(&barrier);
	return (void *)(long)mine;
}

static void *consume(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (count == 0 && taken < PRODUCERS * ITEMS)
			pthread_cond_wait(&filled, &lock);
		if (taken == PRODUCERS * ITEMS) {
			pthread_cond_broadcast(&filled);
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		sum += queue[--count];
		if (++taken == PRODUCERS * ITEMS)
			pthread_cond_broadcast(&filled);
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
}

static volatile int over;

static void *wait_often(void *word)
{
	struct timespec limit = { .tv_nsec = 3 * 1000 * 1000 };
	long woken = 0;

	while (!over && !woken)
		woken = syscall(SYS_futex, word, FUTEX_WAIT, 0, &limit, NULL, 0) == 0;
	return (void *)woken;
}

/* Who has been woken in time has been so, even if it gets no processor before its time is over. */
static void woken_late(void)
{
	static int word;
	struct timespec begun, now;
	pthread_t waiter;
	void *woken;

	pthread_create(&waiter, NULL, wait_often, &word);
	while (syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0)
		usleep(100);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begun.tv_sec) * 1000000000LL + now.tv_nsec - begun.tv_nsec < 9 * 1000 * 1000);
	over = 1;
	pthread_join(waiter, &woken);
	printf("woken late: %ld\n", (long)woken);
}

static void *poll_one(void *which)
{
	struct pollfd one = { *(int *)which, POLLIN };

	return (void *)(poll(&one, 1, 5000) * 1000L + one.revents);
}

static void *wait_for_one(void *which)
{
	struct epoll_event event = { 0 };

	return (void *)(epoll_wait(*(int *)which, &event, 1, 5000) * 1000L + event.events);
}

/* A file for which a thread waits is there until it has waited, although another closes its descriptor. */
static void closed_while_awaited(void)
{
	int ends[2], other[2], epoll = epoll_create1(0);
	struct epoll_event event = { EPOLLIN };
	pthread_t polling, waiting;
	void *polled, *waited;

	signal(SIGPIPE, SIG_IGN);
	pipe(ends), pipe(other);
	epoll_ctl(epoll, EPOLL_CTL_ADD, other[0], &event);
	pthread_create(&polling, NULL, poll_one, &ends[0]), pthread_create(&waiting, NULL, wait_for_one, &epoll);
	usleep(50000);
	close(ends[0]), close(epoll);
	printf("written: %zd %zd\n", write(ends[1], "x", 1), write(other[1], "x", 1));
	pthread_join(polling, &polled), pthread_join(waiting, &waited);
	printf("found: %ld %ld, then %zd\n", (long)polled, (long)waited, write(ends[1], "x", 1));
}

int main(void)
{
	pthread_t makers[PRODUCERS], eaters[CONSUMERS];
	long total = 0;

	pthread_barrier_init(&barrier, NULL, PRODUCERS);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&eaters[i], NULL, consume, NULL);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&makers[i], NULL, produce, NULL);
	for (int i = 0; i < PRODUCERS; i++) {
		void *result;
		pthread_join(makers[i], &result);
		total += (long)result;
	}
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(eaters[i], NULL);
	printf("%ld made, %d taken, sum %ld\n", total, taken, sum);
	woken_late();
	closed_while_awaited();
	return 3;
}
