/* What a process may not do that is not root, and what it may: calls on others, limits, times, owners, names. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

#define NOBODY 65534

static void of_files(void)
{
	static const char *const names[] = { "roots", "mine", "secret", "roots/x", "locked/f", "locked", "sticky/roots", "link" };
	struct timespec times[2] = { { 5, 0 }, { 6, 0 } }, now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } }, one[2] = { { 0, UTIME_NOW }, { 0, UTIME_OMIT } };
	int fd;

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *name = names[i];
		printf("\n%s:", name);
		for (int flags = 0; flags < 4; flags++)
			say((fd = open(name, flags)) < 0 ? -1 : 0), close(fd);
		say((fd = open(name, O_RDONLY | O_TRUNC)) < 0 ? -1 : 0), close(fd);
		say((fd = open(name, O_RDONLY | O_NOATIME)) < 0 ? -1 : 0), close(fd);
		say((fd = open(name, O_PATH)) < 0 ? -1 : 0), close(fd);
		for (int mode = 0; mode < 8; mode++)
			say(access(name, mode));
		say(chmod(name, 0604)), say(chmod(name, 06777)), say(chown(name, -1, -1)), say(chown(name, NOBODY, -1)), say(chown(name, 0, -1)), say(chown(name, -1, NOBODY)), say(chown(name, -1, 0));
		say(chmod(name, 0644));
		printf(" times:");
		say(utimensat(AT_FDCWD, name, times, 0)), say(utimensat(AT_FDCWD, name, now, 0)), say(utimensat(AT_FDCWD, name, NULL, 0)), say(utimensat(AT_FDCWD, name, one, 0));
		say(truncate(name, 3));
		printf(" names:");
		say(link(name, "new") < 0 && errno != EPERM ? -1 : 0), unlink("new");
		say(rename(name, "sticky/moved")), say(rename("sticky/moved", name)), say(rename(name, "locked/moved"));
		say(unlink(name)), say(rmdir(name)), say(mkdir("locked/d", 0777)), say(symlink("x", "locked/l")), say(mknod("locked/p", S_IFIFO | 0600, 0));
	}
	printf("\nnodes:");
	say(mknod("char", S_IFCHR | 0600, 0x103)), say(mknod("block", S_IFBLK | 0600, 0x800)), say(mknod("fifo", S_IFIFO | 0600, 0)), say(mknod("file", S_IFREG | 06755, 0));
	say(chroot(".")), say(chdir("locked")), say(chdir("roots"));
	printf("\nflags:");
	fd = open("sticky/roots", O_RDONLY);
	say(fcntl(fd, F_SETFL, O_NOATIME)), say(fcntl(fd, F_GETFL) & O_NOATIME), say(fcntl(fd, F_SETFL, O_APPEND));
	say(futimens(fd, times)), say(fchmod(fd, 0777)), say(fchown(fd, NOBODY, -1)), say(ftruncate(fd, 1));
	printf("\nbits:");
	for (int mode = 02000; mode < 010000; mode += 010)
		if (mode & 06000 && !(mode & 0667)) { /* which of them stay where bytes or owners change */
			struct stat status;
			int own = open("bits", O_RDWR | O_CREAT, 0600);
			fchmod(own, mode | 0600), fstat(own, &status), printf(" %o", status.st_mode & 07777);
			write(own, "x", 1), fstat(own, &status), printf("-%o", status.st_mode & 07777);
			fchmod(own, mode | 0600), ftruncate(own, 9), fstat(own, &status), printf("-%o", status.st_mode & 07777);
			fchmod(own, mode | 0600), fchown(own, -1, getgid()), fstat(own, &status), printf("-%o", status.st_mode & 07777);
			fchmod(own, mode | 0600), close(open("bits", O_WRONLY | O_TRUNC)), fstat(own, &status), printf("-%o", status.st_mode & 07777);
			close(own), unlink("bits");
		}
	int ends[2];
	pipe(ends);
	say(fcntl(ends[0], F_SETPIPE_SZ, 1 << 30)), say(fcntl(ends[0], F_GETPIPE_SZ)), say(fcntl(ends[0], F_SETPIPE_SZ, 1 << 20)), say(fcntl(ends[0], F_SETPIPE_SZ, 1)), say(fcntl(ends[0], F_SETPIPE_SZ, 0x80000001));
	close(ends[0]), close(ends[1]), close(fd);
}

static void of_processes(pid_t roots, pid_t mine)
{
	static const pid_t nobodies[] = { 0, -1, -2, 1 << 30 };
	struct sched_param parameter = { 0 };
	siginfo_t info = { .si_code = SI_QUEUE };

	for (int i = 0; i < 2; i++) {
		pid_t pid = i ? mine : roots;
		printf("\n%s:", i ? "mine" : "root's");
		say(kill(pid, 0)), say(kill(pid, SIGCONT)), say(syscall(SYS_tkill, pid, 0)), say(syscall(SYS_tgkill, pid, pid, 0)), say(syscall(SYS_tgkill, pid + 1, pid, 0));
		info.si_pid = getpid(), info.si_uid = getuid();
		say(syscall(SYS_rt_sigqueueinfo, pid, 0, &info)), say(syscall(SYS_rt_tgsigqueueinfo, pid, pid, 0, &info));
		info.si_code = 0;
		say(syscall(SYS_rt_sigqueueinfo, pid, 0, &info)), say(syscall(SYS_rt_tgsigqueueinfo, pid, pid, 0, &info));
		info.si_code = SI_QUEUE;
		int fd = syscall(SYS_pidfd_open, pid, 0);
		printf(" pidfd:");
		say(fd < 0 ? -1 : 0), say(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0)), say(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 1 << 20)), say(syscall(SYS_pidfd_send_signal, fd, 65, NULL, 0));
		say(syscall(SYS_pidfd_send_signal, fd, 0, &info, 0)), info.si_signo = 10, say(syscall(SYS_pidfd_send_signal, fd, 0, &info, 0)), info.si_signo = 0;
		say(syscall(SYS_pidfd_send_signal, 0, 0, NULL, 0)), say(syscall(SYS_pidfd_open, pid, 1 << 20));
		close(fd);
		int nice = getpriority(PRIO_PROCESS, pid);
		printf(" priority:");
		say(setpriority(PRIO_PROCESS, pid, nice - 1)), say(setpriority(PRIO_PROCESS, pid, 19)), say(i ? syscall(SYS_getpriority, PRIO_PROCESS, pid) : 0);
		for (int policy = 0; policy < 7; policy++)
			for (int priority = 0; priority < 3; priority++) {
				parameter.sched_priority = priority;
				say(sched_setscheduler(pid, policy, &parameter));
			}
		say(sched_setscheduler(pid, 0, &(struct sched_param){ 0 })), say(sched_getscheduler(pid)), say(sched_setparam(pid, &(struct sched_param){ 0 })), say(sched_setparam(pid, &(struct sched_param){ 1 }));
		cpu_set_t set;
		sched_getaffinity(pid, sizeof set, &set);
		say(sched_setaffinity(pid, sizeof set, &set));
		printf(" limits:");
		struct rlimit limit = { 10, 20 }, old;
		say(prlimit(pid, RLIMIT_NOFILE, NULL, &old)), say(prlimit(pid, RLIMIT_NOFILE, &limit, NULL)), limit.rlim_max = 21, say(prlimit(pid, RLIMIT_NOFILE, &limit, NULL)), limit.rlim_cur = 22, say(prlimit(pid, RLIMIT_NOFILE, &limit, NULL));
		printf(" groups:");
		say(getpgid(pid) == getpgrp()), say(getsid(pid) == getsid(0)), say(setpgid(pid, 0)), say(getpgid(pid) == pid), say(setpgid(pid, getpgrp())), say(setpgid(pid, 99999)), say(setpgid(pid, -1));
		printf(" memory:");
		char byte;
		struct iovec place = { &byte, 1 };
		say(syscall(SYS_process_vm_readv, pid, &place, 1, &place, 1, 0));
		struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, pid };
		struct __user_cap_data_struct data[2];
		say(syscall(SYS_capget, &header, data)), header.pid = -5, say(syscall(SYS_capget, &header, data)), header.pid = 99999, say(syscall(SYS_capget, &header, data));
		header.version = 7, header.pid = 0, say(syscall(SYS_capget, &header, data)), say(header.version), header.version = 7, say(syscall(SYS_capget, &header, NULL)), say(header.version);
		header.version = _LINUX_CAPABILITY_VERSION_3, header.pid = pid, say(syscall(SYS_capset, &header, data));
	}
	printf("\nall:");
	say(kill(-1, 0)), say(kill(0, 0)), say(kill(-getpgrp(), 0)), say(kill(-99999, 0));
	for (int i = 0; i < 4; i++)
		say(kill(nobodies[i] ? nobodies[i] : 0, 65)), say(getpgid(nobodies[i]) == getpgrp()), say(getsid(nobodies[i]) == getsid(0)), say(setpgid(nobodies[i] ? nobodies[i] : 99999, 0)), say(syscall(SYS_pidfd_open, nobodies[i], 0));
	printf("\nits own:"), fflush(stdout);
	if (!fork()) {
		struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
		struct __user_cap_data_struct data[2] = { { 0 } };
		say(syscall(SYS_capset, &header, data)), data[0].permitted = 1, say(syscall(SYS_capset, &header, data)), data[0].permitted = 0, data[0].inheritable = 1, say(syscall(SYS_capset, &header, data)), data[0].inheritable = 0;
		header.version = 7, say(syscall(SYS_capset, &header, data)), say(header.version);
		header.version = _LINUX_CAPABILITY_VERSION_1, say(syscall(SYS_capset, &header, data)), say(syscall(SYS_capget, &header, data));
		say(setpgid(0, 0)), say(setsid()), say(setpgid(0, 0)), fflush(stdout);
		if (!fork()) {
			say(setsid() > 0), say(setsid()), say(getsid(0) == getpid()), say(setpgid(0, 0)), say(setpgid(0, getppid()));
			fflush(stdout), _exit(0);
		}
		wait(NULL), _exit(0);
	}
	wait(NULL);
}

static void of_limits(void)
{
	struct rlimit limit, none = { 0, 0 };

	printf("\nlimits:");
	for (int which = 0; which < 16; which++)
		if (which != RLIMIT_CPU && which != RLIMIT_AS && which != RLIMIT_DATA && which != RLIMIT_STACK) {
			say(setrlimit(which, &none)), getrlimit(which, &limit), say(limit.rlim_cur), say(limit.rlim_max);
			limit.rlim_max = 1, say(setrlimit(which, &limit)), limit.rlim_cur = 1, limit.rlim_max = 0, say(setrlimit(which, &limit));
		}
}

static void of_ids(void)
{
	gid_t groups[4] = { 1, 2, 3 };

	printf("\nids:");
	for (int id = -1; id < 2; id++) {
		say(setuid(id)), say(setgid(id)), say(seteuid(id)), say(setegid(id)), say(setreuid(id, -1)), say(setreuid(-1, id)), say(setregid(id, -1)), say(setregid(-1, id));
		say(setresuid(id, -1, -1)), say(setresuid(-1, id, -1)), say(setresuid(-1, -1, id)), say(setresgid(id, -1, -1)), say(setresgid(-1, id, -1)), say(setresgid(-1, -1, id)), say(setfsuid(id)), say(setfsgid(id));
	}
	say(setuid(NOBODY)), say(setgid(NOBODY)), say(setresuid(NOBODY, NOBODY, NOBODY)), say(setreuid(NOBODY, NOBODY)), say(setgroups(3, groups)), say(setgroups(0, NULL)), say(getgroups(4, groups) < 0 ? -1 : 0);
	say(setfsuid(NOBODY)), say(setfsuid(-1));
}

static void of_the_system(void)
{
	struct timeval time = { 5, 5 };
	struct timespec spec = { 5, 5 };

	printf("\nsystem:");
	say(sethostname("x", 1)), say(setdomainname("x", 1)), say(sethostname("x", -1)), say(sethostname((void *)8, 1)), say(settimeofday(&time, NULL)), say(clock_settime(CLOCK_REALTIME, &spec)), say(clock_settime(CLOCK_MONOTONIC, &spec)), say(clock_settime(77, &spec));
	say(nice(-5) == -1 ? -1 : 0), say(nice(100)), say(nice(-1) == -1 ? -1 : 0), say(ioctl(0, TIOCSTI, "x"));
	say(mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ? -1 : 0);
}

static int shared[4];

static void of_ipc(int queue, int semaphores, int segment)
{
	struct msqid_ds status;
	struct semid_ds sem_status;
	struct shmid_ds shm_status;
	union { int value; struct semid_ds *status; unsigned short *values; } argument;
	struct sembuf up = { 0, 1, 0 };
	struct { long kind; char text[8]; } message = { 1 };
	unsigned short values[2];

	printf("\nipc:");
	say(msgctl(queue, IPC_STAT, &status)), say(msgsnd(queue, &message, 1, IPC_NOWAIT)), say(msgrcv(queue, &message, 8, 0, IPC_NOWAIT)), say(msgctl(queue, IPC_SET, &status)), say(msgctl(queue, IPC_RMID, NULL)), say(msgctl(queue, 77, NULL));
	argument.status = &sem_status;
	say(semctl(semaphores, 0, IPC_STAT, argument)), say(semctl(semaphores, 0, GETVAL)), say(semop(semaphores, &up, 1)), say(semctl(semaphores, 0, IPC_SET, argument)), say(semctl(semaphores, 0, IPC_RMID)), say(semctl(semaphores, 0, 77));
	argument.values = values, say(semctl(semaphores, 0, GETALL, argument)), say(semctl(semaphores, 0, SETALL, argument)), argument.value = 1, say(semctl(semaphores, 0, SETVAL, argument)), say(semctl(semaphores, 0, GETPID)), say(semctl(semaphores, 0, GETNCNT));
	say(shmctl(segment, IPC_STAT, &shm_status)), say((long)shmat(segment, NULL, 0) == -1 ? -1 : 0), say((long)shmat(segment, NULL, SHM_RDONLY) == -1 ? -1 : 0), say(shmctl(segment, IPC_SET, &shm_status)), say(shmctl(segment, IPC_RMID, NULL)), say(shmctl(segment, 77, NULL)), say(shmctl(segment, SHM_LOCK, NULL)), say(shmctl(segment, SHM_UNLOCK, NULL));
	for (int way = 0; way < 4; way++) { /* what others may read, and what they may write */
		argument.values = values, say(semctl(shared[way], 0, GETALL, argument)), say(semctl(shared[way], 0, SETALL, argument)), say(semctl(shared[way], 0, GETVAL)), argument.value = 1, say(semctl(shared[way], 0, SETVAL, argument)), say(semctl(shared[way], 0, GETNCNT)), say(semop(shared[way], &up, 1)), say(semop(shared[way], &(struct sembuf){ 1, 0, IPC_NOWAIT }, 1)), argument.status = &sem_status, say(semctl(shared[way], 0, IPC_STAT, argument));
	}
	int own = msgget(IPC_PRIVATE, 0600);
	say(msgctl(own, IPC_STAT, &status)), status.msg_qbytes = 100, say(msgctl(own, IPC_SET, &status)), status.msg_qbytes = 101, say(msgctl(own, IPC_SET, &status)), status.msg_qbytes = 1 << 26, say(msgctl(own, IPC_SET, &status)), say(msgctl(own, IPC_RMID, NULL));
}

static void of_sockets(void)
{
	int pair[2];
	char byte = 'x', room[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec vector = { &byte, 1 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
	struct cmsghdr *control = CMSG_FIRSTHDR(&message);

	printf("\ncredentials:");
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_CREDENTIALS, control->cmsg_len = CMSG_LEN(sizeof(struct ucred));
	for (int which = 0; which < 8; which++) {
		struct ucred who = { which & 1 ? getpid() : getppid(), which & 2 ? getuid() : 1, which & 4 ? getgid() : 1 };
		memcpy(CMSG_DATA(control), &who, sizeof who);
		say(sendmsg(pair[0], &message, 0));
	}
	say(setsockopt(pair[0], SOL_SOCKET, SO_MARK, &(int){ 1 }, 4)), say(setsockopt(pair[0], SOL_SOCKET, SO_PRIORITY, &(int){ 7 }, 4)), say(setsockopt(pair[0], SOL_SOCKET, SO_DEBUG, &(int){ 1 }, 4));
	say(setsockopt(pair[0], SOL_SOCKET, SO_RCVBUFFORCE, &(int){ 10000 }, 4)), say(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUFFORCE, &(int){ 10000 }, 4));
}

static void made(const char *name, int mode)
{
	close(open(name, O_CREAT | O_WRONLY, 0600)), chmod(name, mode);
}

int main(void)
{
	int queue = msgget(IPC_PRIVATE, 0600), semaphores = semget(IPC_PRIVATE, 2, 0600), segment = shmget(IPC_PRIVATE, 4096, 0600);
	pid_t roots, mine;

	for (int way = 0; way < 4; way++)
		shared[way] = semget(IPC_PRIVATE, 2, way == 0 ? 0604 : way == 1 ? 0602 : way == 2 ? 0606 : 0060);
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	umask(0);
	mkdir("open", 0777), chdir("open");
	mkdir("locked", 0700), made("locked/f", 0666), mkdir("sticky", 01777), made("sticky/roots", 0666), made("roots", 0644), made("secret", 0600), made("mine", 0644), symlink("roots", "link");
	chown("mine", NOBODY, NOBODY);
	if (!(roots = fork()))
		for (;;)
			pause();
	pid_t worker = fork();
	if (worker) {
		waitpid(worker, NULL, 0);
		kill(roots, SIGKILL);
		for (int way = 0; way < 4; way++)
			semctl(shared[way], 0, IPC_RMID);
		msgctl(queue, IPC_RMID, NULL), semctl(semaphores, 0, IPC_RMID), shmctl(segment, IPC_RMID, NULL);
		return 0;
	}
	setgroups(0, NULL), setresgid(NOBODY, NOBODY, NOBODY), setresuid(NOBODY, NOBODY, NOBODY);
	if (!(mine = fork()))
		for (;;)
			pause();
	of_files();
	of_processes(roots, mine);
	of_ids();
	of_ipc(queue, semaphores, segment);
	of_sockets();
	of_the_system();
	of_limits();
	putchar('\n');
	fflush(stdout);
	kill(mine, SIGKILL);
	return 0;
}
