/* Counts the steps of a function that runs with the trap flag set. */
#include <signal.h>
#include <stdio.h>

static volatile int steps;

static void stepped(int number)
{
	(void)number;
	steps++;
}

__attribute__((noinline)) int walked(int x)
{
	int y = x;

	__asm__ volatile ("add $3, %0; push %q0; pop %q0; nop; imul $5, %0, %0; cmp $0, %0; je 1f; xor $7, %0;"
	    "jmp 1f; ud2; 1: nop" : "+r"(y) : : "cc");
	return y;
}

int main(void)
{
	int y = 4;

	signal(SIGTRAP, stepped);
	__asm__ volatile ("pushfq; orq $0x100, (%%rsp); popfq" : : : "cc", "memory");
	y = walked(y);
	__asm__ volatile ("pushfq; andq $~0x100, (%%rsp); popfq" : : : "cc", "memory");
	printf("%d steps, %d\n", steps, y);
	return 0;
}
