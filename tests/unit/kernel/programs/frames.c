/* Frames of every shape: leaves, arrays of variable size, realigned stacks, tail calls, calls that never
   return (but with RETURNS), callbacks from a library, signal handlers, long jumps, stubs of the linkage. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf env;
volatile int sink;

NOINLINE int leaf(int n) { volatile int room[4] = {n, n, n, n}; return room[n & 3]; }
NOINLINE int deep(int a, int b, int c) { int x = leaf(a), y = leaf(b); return x * y + leaf(c) + a * b; }
NOINLINE int tail(int n) { return leaf(n + 1); }
NOINLINE int sized(int n) { char room[n]; memset(room, 1, n); return tail(room[n / 2]); }
NOINLINE int aligned(int n)
{
	__attribute__((aligned(64))) char room[128];

	memset(room, n, sizeof room);
	return sized(n + 20) + room[3] + deep(n, 2, 3);
}
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void handler(int number) { sink = aligned(number); }
NOINLINE void jumper(int n) { longjmp(env, n); }
NOINLINE __attribute__((noreturn)) void last(int n) { sink = aligned(n); _exit(0); }
NOINLINE void before_last(int n) { if (n) last(n); }

int main(void)
{
	int numbers[] = {5, 2, 9, 1};

	qsort(numbers, 4, sizeof *numbers, order);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
#ifndef RETURNS
	if (!setjmp(env))
		jumper(3);
	before_last(numbers[1]);
#endif
	return 0;
}
