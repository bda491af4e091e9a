/* Threads that share counters and a bounded queue: mutexes, condition variables, barriers, TLS. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
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
	return 3;
}
