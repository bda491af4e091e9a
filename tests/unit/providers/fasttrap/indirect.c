/* Functions that a resolver chooses: one of its own, and the C library's memcpy and strlen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define	CALLS	20

static __attribute__((noinline)) int plain(int n) { __asm__ volatile (""); return (n + 1); }
static __attribute__((noinline)) int fancy(int n) { __asm__ volatile (""); return (n + 2); }
static int (*resolve_chosen(void))(int) { return (getenv == NULL ? plain : fancy); }
int chosen(int) __attribute__((ifunc("resolve_chosen")));

static void
work(char *from, char *to)
{
	volatile size_t length = 7;
	long sum = 0;
	int i;

	for (i = 0; i < CALLS; i++) {
		memcpy(to, from, length);
		sum += chosen(i) + (long)strlen(to);
	}
	printf("%ld\n", sum);
}

int
main(void)
{
	char from[16] = "abcdef", to[16];

	work(from, to);			/* lazily bound by now */
	getppid();			/* a mark */
	work(from, to);
	return (0);
}
