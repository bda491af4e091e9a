/* Sorts, formats, copies and reads numbers: work for the C library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
	return (*(const int *)a - *(const int *)b);
}

int
main(void)
{
	unsigned state = 1;
	char text[4096], copy[4096];
	double sum = 0;
	int values[100], n = 0, i;
	char *word;

	for (i = 0; i < 100; i++) {
		state = state * 1103515245 + 12345;
		values[i] = (int)(state >> 8) % 10000;
	}
	qsort(values, 100, sizeof (*values), compare);
	for (i = 0; i < 100; i += 7)
		n += snprintf(text + n, sizeof (text) - n, "%d %5.3f %x %s|", values[i], values[i] / 7.0, values[i], "abc");
	memcpy(copy, text, n + 1);
	for (word = strtok(copy, " |"); word != NULL; word = strtok(NULL, " |"))
		sum += strtod(word, NULL);
	printf("%s %g\n", text, sum);
	return (0);
}
