/* Functions that a resolver chooses: one of its own, and the C library's memcpy and strlen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "indirect.h"

#define	CALLS	20

static __attribute__((noinline)) int plain(int n) { __asm__ volatile (""); return (n + 1); }
static __attribute__((noinline)) int fancy(int n) { __asm__ volatile (""); return (n + 2); }
static __attribute__((used)) int (*resolve_chosen(void))(int) { return (&getenv == NULL ? plain : fancy); }
INDIRECT(int, chosen, (int), resolve_chosen);

#ifndef __GLIBC__
/* A C library that leaves indirect functions to the program: what the linker noted is resolved here. */
struct relocation { unsigned long where, information; };
extern const struct relocation __rel_iplt_start[], __rel_iplt_end[];

static void __attribute__((constructor))
resolve_all(void)
{
	const struct relocation *each;

	for (each = __rel_iplt_start; each < __rel_iplt_end; each++) {
		unsigned long *where = (unsigned long *)each->where;

		*where = ((unsigned long (*)(void))*where)();
	}
}
#endif

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
