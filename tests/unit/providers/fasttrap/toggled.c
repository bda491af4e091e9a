/* Two threads run through `tick`, whose first instruction counts for each how often. */
#include <pthread.h>
#include <stdio.h>

long counters[2];
static volatile long rounds = 30000;

extern void tick(long *counter, long one);
__asm__(
"	.text\n	.type tick, @function\n"
#ifdef __aarch64__
"	.arch armv8.1-a\n"
"tick:	stadd x1, [x0]\n	ret\n	.size tick, .-tick\n");
#else
"tick:	incq (%rdi)\n	ret\n	.size tick, .-tick\n");
#endif

static void *
worker(void *counter)
{
	long i;

	for (i = 0; i < rounds; i++)
		tick(counter, 1);
	return (counter);
}

int
main(void)
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &counters[i]);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", counters[0], counters[1]);
	return (0);
}
