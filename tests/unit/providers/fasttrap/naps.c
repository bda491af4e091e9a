/* Calls member() 200 times, with a nap after each; `calls` counts them. */
#include <time.h>

volatile int calls;

__attribute__((noinline)) int
member(int n)
{
	calls++;
	return (n + 1);
}

int
main(void)
{
	struct timespec nap = { 0, 1000000 };
	int sum = 0, i;

	for (i = 0; i < 200; i++) {
		sum = member(sum);
		nanosleep(&nap, NULL);
	}
	return (sum != 200);
}
