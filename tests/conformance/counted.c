/*
 * Ten functions that are called, return and recurse in known numbers: they count themselves, and the
 * program prints "name entries returns" for each.  The first argument is the one of interest.
 */
#include <stdio.h>
#include <stdlib.h>

#define	FUNCTIONS(_)	_(leaf) _(twice) _(fibonacci) _(tail) _(many) _(text) _(odd) _(even) _(early) _(compare)
#define	COUNTER(name)	static long name##_entries, name##_returns;
#define	REPORT(name)	printf("%s %ld %ld\n", #name, name##_entries, name##_returns);
#define	ENTER(name)	(name##_entries++)
#define	LEAVE(name, value)	return (name##_returns++, (value))
#define	KEPT	__attribute__((noinline, noclone))

FUNCTIONS(COUNTER)

KEPT long leaf(long n) { ENTER(leaf); LEAVE(leaf, n + 1); }
KEPT long twice(long n) { ENTER(twice); n = leaf(n) + leaf(n / 2); LEAVE(twice, n); }
KEPT long fibonacci(long n)
{
	ENTER(fibonacci);
	n = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	LEAVE(fibonacci, n);
}
KEPT long tail(long n) { ENTER(tail); tail_returns++; return (leaf(n * 2)); }	/* a jump, optimized */
KEPT long many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	ENTER(many);
	LEAVE(many, a + b + c + d + e + f + g * h);
}
KEPT long text(const char *string)
{
	long n = 0;

	ENTER(text);
	while (*string)
		n = n * 31 + *string++;
	LEAVE(text, n);
}
long even(long n);
KEPT long odd(long n) { ENTER(odd); n = n == 0 ? 0 : even(n - 1); LEAVE(odd, n); }
KEPT long even(long n) { ENTER(even); n = n == 0 ? 1 : odd(n - 1); LEAVE(even, n); }
KEPT long early(long n)
{
	ENTER(early);
	if (n % 3 == 0)
		LEAVE(early, 0);
	if (n % 3 == 1)
		LEAVE(early, leaf(n));
	n = twice(n);
	LEAVE(early, n);
}
KEPT int compare(const void *a, const void *b)
{
	ENTER(compare);
	LEAVE(compare, *(const int *)a - *(const int *)b);
}

int
main(int argc, char **argv)
{
	static const char *const words[] = { "one", "three", "eleven", "" };
	int values[64], i;
	long sum = argc;

	for (i = 0; i < 64; i++)
		values[i] = i * 7919 % 101;
	qsort(values, 64, sizeof (*values), compare);
	for (i = 0; i < 40; i++)
		sum += twice(i) + tail(i) + early(i) + many(i % 5, 2, 3, 4, 5, 6, i, 8) + text(words[i % 4]) +
		    odd(i % 6);
	sum += fibonacci(11) + values[5] + (argv[0] == NULL);
	FUNCTIONS(REPORT)
	return (int)(sum & 63);
}
