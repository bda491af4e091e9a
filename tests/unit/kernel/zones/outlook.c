/* Tries to look out of a zone.  Arguments: the number of a process outside it, and a descriptor of a directory
   outside it.  Prints a line for each way. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void told(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
}

static int named(const char *name, int listen_there)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path + 1, name);
	if (listen_there)
		return bind(fd, (struct sockaddr *)&address, size) || listen(fd, 1) ? -1 : fd;
	return connect(fd, (struct sockaddr *)&address, size);
}

/* Makes what the others are to find, and waits to be killed. */
static int serve(void)
{
	union { int val; } value = { 3 };
	int set = semget(77, 1, IPC_CREAT | 0666);

	semctl(set, 0, SETVAL, value);
	told("segment", shmget(77, 4096, IPC_CREAT | 0666));
	told("queue", msgget(77, IPC_CREAT | 0666));
	told("socket", named("here", 1));
	printf("set %d\n", set);
	fflush(stdout);
	sleep(100);
	return 0;
}

int main(int argc, char **argv)
{
	int pid = argc > 1 ? atoi(argv[1]) : 0, outside = argc > 2 ? atoi(argv[2]) : -1;
	char byte, path[64];
	struct iovec mine = { &byte, 1 }, theirs = { path, 1 };
	struct timespec now = { 1, 0 };

	if (!pid)
		return serve();
	told("kill", kill(pid, 0));
	told("tgkill", syscall(SYS_tgkill, pid, pid, 0));
	told("queue a signal", sigqueue(pid, 0, (union sigval) { 0 }));
	told("kill a group", kill(-pid, 0));
	told("trace", ptrace(PTRACE_SEIZE, pid, 0, 0));
	told("read memory", process_vm_readv(pid, &mine, 1, &theirs, 1, 0));
	told("pidfd", syscall(SYS_pidfd_open, pid, 0));
	told("session", getsid(pid));
	told("priority", getpriority(PRIO_PROCESS, pid));
	told("affinity", sched_getscheduler(pid));
	told("clock of a process", clock_gettime((~(clockid_t)pid) << 3 | 2, &now));
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	told("proc", access(path, F_OK));
	told("set", semget(77, 1, 0));
	told("number of a set", semctl(0, 0, GETVAL));
	told("segment", shmget(77, 4096, 0));
	told("queue", msgget(77, 0));
	told("socket", named("here", 0));
	told("node name", sethostname("other", 5));
	told("time", clock_settime(CLOCK_REALTIME, &now));
	told("device", mknod("/tmp/memory", S_IFCHR | 0600, 0x101));
	if (outside >= 0) {
		snprintf(path, sizeof path, "/proc/self/fd/%d/hosts", outside);
		told("open there", openat(outside, "hosts", O_RDONLY));
		told("open above", openat(outside, "..", O_RDONLY));
		told("open by proc", open(path, O_RDONLY));
		told("go there", fchdir(outside));
		told("open from there", open("hosts", O_RDONLY));
		told("change root", chroot("/tmp") || chdir("../../../.."));
		told("open up there", open("../zones/web/etc", O_RDONLY));
	}
	return 0;
}
