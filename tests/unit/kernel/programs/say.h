/* What the programs that try calls tell of each: its result, or the name of its error. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void say(long result)
{
	if (result < 0)
		printf(" %s", strerrorname_np(errno));
	else
		printf(" %ld", result);
}
