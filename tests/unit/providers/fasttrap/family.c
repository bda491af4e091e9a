/* argv[1]: fork, vfork, exec, spawn.  Every process of the family calls `member`. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int calls;

__attribute__((noinline)) int
member(int generation)
{
	return (calls += generation);
}

int
main(int argc, char **argv)
{
	char *again[] = { argv[0], "leaf", NULL };
	const char *how = argc > 1 ? argv[1] : "leaf";
	int status = 0, i;
	pid_t child;

	member(1);
	if (strcmp(how, "exec") == 0)
		execv(argv[0], again);
	for (i = 0; i < 3 && strcmp(how, "leaf") != 0; i++) {
		if (strcmp(how, "fork") == 0) {
			child = fork();
			if (child == 0) {
				member(1);
				_exit(member(1) == 3 + i ? 0 : 9);
			}
		} else if (strcmp(how, "vfork") == 0) {
			child = vfork();
			if (child == 0) {
				member(1);
				execv(argv[0], again);
				_exit(8);
			}
		} else if (posix_spawn(&child, argv[0], NULL, NULL, again, environ) != 0)
			return (7);
		waitpid(child, &status, 0);
		if (status != 0)
			return (6);
		member(1);
	}
	return (0);
}
