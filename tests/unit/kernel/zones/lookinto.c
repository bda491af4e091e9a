/* Tries to look into a process that is another user's, and into one that becomes another user's.  Arguments: the
   number of the first, and a program that is set-user-id.  Prints a line for each way. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

static const char *of(const char *pid, const char *name)
{
	snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
	return path;
}

static void told(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : result ? "something" : "nothing");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "maps", "environ", "mem", "cwd", "root", "exe", "cwd/", "fd/1" };
	char text[256], self[16];
	struct stat status;
	int memory, environment, maps, go[2], each, here = 0;
	pid_t child;

	for (each = 0; each < 8; each++)
		told(names[each], strchr("ce", names[each][0]) && each > 2 && each < 6 ?
		    readlink(of(argv[1], names[each]), text, sizeof text) : open(of(argv[1], names[each]), O_RDONLY));
	told("root of it", readlink(of(argv[1], "root"), text, sizeof text));
	told("its program", stat(of(argv[1], "exe"), &status));
	told("its directory", open(of(argv[1], "cwd/."), O_RDONLY));

	/* a child looks into its parent, which executes the program meanwhile */
	sprintf(self, "%d", getpid());
	pipe(go);
	child = fork();
	if (child) {
		read(go[0], text, 1);
		fflush(stdout);
		setenv("KEY", "secret", 1);
		execl(argv[2], "victim", "5", NULL);
		return 1;
	}
	memory = open(of(self, "mem"), O_RDWR);
	environment = open(of(self, "environ"), O_RDONLY);
	maps = open(of(self, "maps"), O_RDONLY);
	told("before", pread(memory, text, 8, (long)&here & -4096L));
	told("environment before", read(environment, text, 8));
	write(go[1], "", 1);
	sleep(1);
	told("memory", pread(memory, text, 8, (long)&here & -4096L));
	told("change memory", pwrite(memory, text, 8, (long)&here & -4096L));
	told("environment", pread(environment, text, 8, 0));
	told("map", pread(maps, text, 8, 0));
	told("memory anew", open(of(self, "mem"), O_RDONLY));
	told("map anew", open(of(self, "maps"), O_RDONLY));
	return 0;
}
