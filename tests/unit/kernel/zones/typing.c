/* Types a character as if it had come from a terminal: that which it has for standard input; with an argument,
   a program that has one of its own runs this in that zone.  Prints how that ended. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	pid_t child;

	if (argc < 2) {
		printf("%s\n", ioctl(0, TIOCSTI, "x") ? strerrorname_np(errno) : "typed");
		return 0;
	}
	if (grantpt(terminal) || unlockpt(terminal))
		return 1;
	child = fork();
	if (child == 0) {
		setsid();
		close(0);
		open(ptsname(terminal), O_RDWR);
		if (strcmp(argv[1], "global"))
			execlp("zlogin", "zlogin", argv[1], argv[0], NULL);
		execl(argv[0], argv[0], NULL);
		return 1;
	}
	waitpid(child, NULL, 0);
	return 0;
}
