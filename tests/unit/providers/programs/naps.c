/* Yields seven times, sleeps three times, then works for a while. */
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

int main(void)
{
	struct timespec nap = { 0, 2000000 };
	volatile long sum = 0;

	for (int i = 0; i < 7; i++)
		sched_yield();
	for (int i = 0; i < 3; i++)
		nanosleep(&nap, 0);
	setpriority(PRIO_PROCESS, 0, 5);
	for (long i = 0; i < 12000000; i++)
		sum += i;
	return 0;
}
