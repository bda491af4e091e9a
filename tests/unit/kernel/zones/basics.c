/* Tries what the basic privileges give.  Arguments: the number of a process of another session and user, and a
   file of another user that all may read and write.  Prints a line for each thing, and its capabilities. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void told(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
	fflush(stdout);
}

static void capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2];
	int each;

	if (syscall(SYS_capget, &header, sets))
		exit(1);
	printf("capabilities:");
	for (each = 0; each < 41; each++)
		if (sets[each / 32].effective >> each % 32 & 1)
			printf(" %d", each);
	printf("\n");
}

/* Keeps these capabilities, and of them some in force. */
static int keep(unsigned permitted, unsigned effective)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2] = { { effective, permitted, 0 } };

	return syscall(SYS_capset, &header, sets);
}

int main(int argc, char **argv)
{
	char path[32];
	pid_t child;

	if (argc < 3)
		return 0;
	snprintf(path, sizeof path, "/proc/%s", argv[1]);
	told("read a file", open(argv[2], O_RDONLY));
	told("write a file", open(argv[2], O_WRONLY));
	told("make a file", mknod("/tmp/of-mine", S_IFREG | 0600, 0));
	told("change a file", chmod("/tmp", 01777));
	told("network", socket(AF_INET, SOCK_STREAM, 0));
	told("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
	told("link", link(argv[2], "/tmp/linked"));
	told("examine", access(path, F_OK));
	told("signal", kill(atoi(argv[1]), 0));
	told("trace", ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0));
	told("become root", setuid(0));
	capabilities();
	told("less in force", keep(1 << CAP_KILL | 1 << CAP_CHOWN, 1 << CAP_KILL));
	capabilities();
	told("all that is left", keep(1 << CAP_KILL | 1 << CAP_CHOWN, 1 << CAP_KILL | 1 << CAP_CHOWN));
	capabilities();
	told("more", keep(1 << CAP_KILL | 1 << CAP_SYS_TIME, 0));
	child = fork();
	if (child == 0)
		_exit(0);
	told("fork", child);
	waitpid(child, NULL, 0);
	told("execute", execl("/proc/self/exe", "basics", NULL));
	return 0;
}
