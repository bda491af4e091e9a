/* Corners of system calls: second forms, sizes just out of range, descriptors of another kind. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void show(const char *what, long value)
{
	int error = errno;
	if (value == -1)
		printf("%s: %s\n", what, strerrorname_np(error));
	else
		printf("%s: %ld\n", what, value);
	fflush(stdout);
}

static void terminal(void)
{
	static const char *const lines[] = { "one\n", "two\r", "three\r\n", "\n", "a\004", "\004", "x\177y\n", "abc\025d\n" };
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	grantpt(master);
	unlockpt(master);
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);

	for (int raw = 0; raw < 2; raw++) {
		fcntl(slave, F_SETFL, O_NONBLOCK);
		fcntl(master, F_SETFL, O_NONBLOCK);
		for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
			char read_there[64], echoed[64];
			write(master, lines[i], strlen(lines[i]));
			usleep(20000);  /* a kernel's worker brings it, later on a busy host */
			poll(&(struct pollfd){ .fd = slave, .events = POLLIN }, 1, 200);
			poll(&(struct pollfd){ .fd = master, .events = POLLIN }, 1, raw ? 0 : 200);
			long there = read(slave, read_there, sizeof read_there);
			int error = there < 0 ? errno : 0;
			long back = read(master, echoed, sizeof echoed);
			printf("line %u: %ld %d", i, there, error);
			for (long k = 0; k < there; k++)
				printf(" %02x", (unsigned char)read_there[k]);
			printf("; echo %ld", back);
			for (long k = 0; k < back; k++)
				printf(" %02x", (unsigned char)echoed[k]);
			putchar('\n');
		}
		struct termios mode;
		tcgetattr(slave, &mode);
		cfmakeraw(&mode);
		tcsetattr(slave, TCSANOW, &mode);
	}
	close(slave);
	close(master);
}

/* Two children in this process's group, two in a group of their own. */
static void groups(void)
{
	pid_t leader = 0, children[4];
	int status, own = 0, other = 0;

	for (int i = 0; i < 4; i++) {
		int go[2];
		pipe(go);
		children[i] = fork();
		if (!children[i]) {
			char c;
			close(go[1]);
			read(go[0], &c, 1);
			_exit(i + 1);
		}
		if (i >= 2) {
			if (!leader)
				leader = children[i];
			setpgid(children[i], leader);
		}
		close(go[0]);
		close(go[1]);
	}
	show("waitpid(-leader - 1)", waitpid(-leader - 1, &status, 0));
	for (int i = 0; i < 2; i++) {
		pid_t found = waitpid(-leader, &status, 0);
		other += (found == children[2] || found == children[3]) * WEXITSTATUS(status);
	}
	show("waitpid(-pgid)", other);
	show("waitpid(-pgid) again", waitpid(-leader, &status, 0));
	for (int i = 0; i < 2; i++) {
		pid_t found = waitpid(0, &status, 0);
		own += (found == children[0] || found == children[1]) * WEXITSTATUS(status);
	}
	show("waitpid(0)", own);
	show("waitpid(0) again", waitpid(0, &status, 0));
	show("waitpid(INT_MIN)", waitpid(1 << 31, &status, 0));
}

static void remaps(void)
{
	long page = 4096;
	char *area = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;

	munmap(area + 3 * page, page);
	memset(area, 'a', 3 * page);
	memset(area + 4 * page, 'n', page);
	at = mremap(area, 2 * page, 3 * page, 0);       /* its own next page is in the way */
	show("into its own next page", at == MAP_FAILED ? -1 : at - area);
	at = mremap(area, 3 * page, 4 * page, 0);       /* up to the neighbour */
	show("up to the neighbour", at == MAP_FAILED ? -1 : at - area);
	at = mremap(area, 4 * page, 5 * page, 0);       /* past it */
	show("past the neighbour", at == MAP_FAILED ? -1 : at - area);
	at = mremap(area, 4 * page, 6 * page, MREMAP_MAYMOVE);
	show("moved", at == MAP_FAILED ? -1 : at != area && at[0] == 'a' && at[3 * page - 1] == 'a' && !at[3 * page]);
	show("neighbour", area[4 * page]);
	at = mremap(area + 4 * page, page, 9 * page, MREMAP_FIXED, area);
	show("fixed without maymove", at == MAP_FAILED ? -1 : 0);
	at = mremap(area + 4 * page, page, 3 * page, MREMAP_FIXED | MREMAP_MAYMOVE, area + 5 * page);
	show("fixed", at == MAP_FAILED ? -1 : at - area);
	show("content", area[5 * page]);
	at = mremap(area + 5 * page, page, 3 * page, MREMAP_FIXED | MREMAP_MAYMOVE, area + 4 * page);
	show("fixed over itself", at == MAP_FAILED ? -1 : at - area);
	at = mremap(area + 1, page, page, 0);
	show("unaligned", at == MAP_FAILED ? -1 : 0);
	at = mremap(area + 5 * page, page, 0, 0);
	show("to nothing", at == MAP_FAILED ? -1 : 0);
	at = mremap(area, page, 2 * page, 0);
	show("of nothing", at == MAP_FAILED ? -1 : 0);
}

static void addresses(void)
{
	static const int sizes[] = { 0, 1, 2, 3, 109, 110, 111, 112, 120, 128, 129, 200, -1 };
	char block[256], name[256];

	for (int call = 0; call < 4; call++)
		for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
			int fd = socket(AF_UNIX, SOCK_STREAM, 0), datagram = socket(AF_UNIX, SOCK_DGRAM, 0);
			struct sockaddr_un *address = (struct sockaddr_un *)block;
			char line[80];

			memset(block, call == 2 ? 0 : 'x', sizeof block);
			address->sun_family = AF_UNIX;
			sprintf(line, "%s of %d bytes", (char *[]){"bind", "connect", "abstract bind", "send"}[call], sizes[i]);
			if (call == 1)
				show(line, syscall(SYS_connect, fd, block, sizes[i]));
			else if (call == 3)
				show(line, sendto(datagram, "d", 1, 0, (void *)block, sizes[i]));
			else {
				show(line, syscall(SYS_bind, fd, block, sizes[i]));
				socklen_t length = sizeof block;
				memset(block, 'y', sizeof block);
				getsockname(fd, (void *)block, &length);
				printf("  its name has %d bytes, %d\n", (int)length, sizes[i] == 2 ? 0 : block[length - 1]);
				memset(name, 0, sizeof name);
				if (sizes[i] > 2)
					unlink(memset(name, 'x', sizes[i] - 2));
			}
			close(fd);
			close(datagram);
		}
}

static void sizes_and_flags(void)
{
	unsigned long mask[64];
	sigset_t signals;

	sigemptyset(&signals);
	/* a larger mask has as many bytes as the kernel was built for */
	for (int size = 0; size <= 8; size += 2) {
		char line[40];
		sprintf(line, "sched_getaffinity of %d", size);
		show(line, syscall(SYS_sched_getaffinity, 0, size, mask));
	}
	show("sched_getaffinity nowhere", syscall(SYS_sched_getaffinity, 0, 8, 0));
	show("sched_getaffinity of nobody", syscall(SYS_sched_getaffinity, 0x3fffff, 8, mask));
	for (int size = 0; size <= 16; size += 4) {
		char line[40];
		sprintf(line, "signalfd4 of %d", size);
		show(line, syscall(SYS_signalfd4, -1, &signals, size, 0) >= 0 ? 0 : -1);
	}
	show("signalfd4 with a flag", syscall(SYS_signalfd4, -1, &signals, 8, 1));
	show("signalfd4 nonblock", syscall(SYS_signalfd4, -1, &signals, 8, O_NONBLOCK | O_CLOEXEC) >= 0 ? 0 : -1);
	show("signalfd4 on a terminal", syscall(SYS_signalfd4, 0, &signals, 8, 0));
	show("signalfd4 closed", syscall(SYS_signalfd4, 99, &signals, 8, 0));
	show("signalfd4 -2", syscall(SYS_signalfd4, -2, &signals, 8, 0));
	show("signalfd4 nowhere", syscall(SYS_signalfd4, -1, 0, 8, 0));

	int written = open("written", O_WRONLY | O_CREAT, 0600), ends[2], folder = open(".", O_RDONLY);
	pipe(ends);
	show("readahead write-only", readahead(written, 0, 10));
	show("readahead on a pipe", readahead(ends[0], 0, 10));
	show("readahead on a folder", readahead(folder, 0, 10));
	show("readahead closed", readahead(99, 0, 10));
	unlink("written");
	close(written);
}

static void traced(void)
{
	siginfo_t info;
	int status;
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		syscall(SYS_getppid);
		_exit(3);
	}
	memset(&info, 0, sizeof info);
	waitpid(child, &status, 0);
	show("info of a signal", ptrace(PTRACE_GETSIGINFO, child, 0, &info));
	show("its number", info.si_signo);
	show("set", ptrace(PTRACE_SETSIGINFO, child, 0, &info));
	show("set from nowhere", ptrace(PTRACE_SETSIGINFO, child, 0, 0));
	show("set of another", ptrace(PTRACE_SETSIGINFO, getppid(), 0, &info));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	child = fork();
	if (!child)
		for (;;)
			pause();
	show("seize", ptrace(PTRACE_SEIZE, child, 0, 0));
	show("set while it runs", ptrace(PTRACE_SETSIGINFO, child, 0, &info));
	kill(child, SIGSTOP);
	waitpid(child, &status, 0);
	ptrace(PTRACE_CONT, child, 0, SIGSTOP);
	waitpid(child, &status, 0);
	printf("stopped %x\n", status);
	show("get without a signal", ptrace(PTRACE_GETSIGINFO, child, 0, &info));
	show("set without a signal", ptrace(PTRACE_SETSIGINFO, child, 0, &info));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	child = fork();
	if (!child)
		for (;;)
			pause();
	ptrace(PTRACE_ATTACH, child, 0, 0);
	waitpid(child, &status, 0);
	ptrace(PTRACE_CONT, child, 0, SIGSTOP);
	waitpid(child, &status, 0);
	printf("group stop %x\n", status);
	show("get in a group stop", ptrace(PTRACE_GETSIGINFO, child, 0, &info));
	show("set in a group stop", ptrace(PTRACE_SETSIGINFO, child, 0, &info));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

static void areas(void)
{
#if defined __i386__
	unsigned descriptor[4] = { -1, 0x1000, 0xfffff, 0x51 };

	show("set_thread_area", syscall(SYS_set_thread_area, descriptor));
	show("its number", descriptor[0]);
	descriptor[1] = descriptor[2] = descriptor[3] = 0;
	show("get_thread_area", syscall(SYS_get_thread_area, descriptor));
	printf("%x %x %x\n", descriptor[1], descriptor[2], descriptor[3]);
	for (int i = 0; i < 18; i++) {
		char line[40];
		descriptor[0] = i;
		sprintf(line, "get_thread_area %d", i);
		show(line, syscall(SYS_get_thread_area, descriptor));
		if (i > 12 && i < 15)
			printf("%x %x %x\n", descriptor[1], descriptor[2], descriptor[3]);
	}
	descriptor[0] = -1;
	show("get_thread_area -1", syscall(SYS_get_thread_area, descriptor));
	show("get_thread_area nowhere", syscall(SYS_get_thread_area, 0));
	show("set_thread_area nowhere", syscall(SYS_set_thread_area, 0));
	for (unsigned flags = 0; flags < 128; flags += 3) {
		unsigned other[4] = { 13, 0x12355678 + (flags << 17), 0xabcde, flags };

		show("set_thread_area 13", syscall(SYS_set_thread_area, other));
		other[1] = other[2] = other[3] = 0;
		show("get_thread_area 13", syscall(SYS_get_thread_area, other));
		printf("%x: %x %x %x\n", flags, other[1], other[2], other[3]);
	}
	for (int i = 0; i < 18; i++) {
		char line[40];
		unsigned empty[4] = { i, 0, 0, 0x28 };
		if (i == 12)
			continue;
		sprintf(line, "set_thread_area %d", i);
		show(line, syscall(SYS_set_thread_area, empty));
	}
#else
	unsigned descriptor[4] = { 12, 0, 0, 0 };

	show("get_thread_area", syscall(SYS_get_thread_area, descriptor));
	show("set_thread_area", syscall(SYS_set_thread_area, descriptor));
#endif
}

static void descriptors_of_processes(void)
{
	int status, folder, file, own = open("/proc/self", O_RDONLY | O_DIRECTORY);
	pid_t child = fork();
	char path[40];

	if (!child)
		for (;;)
			pause();
	sprintf(path, "/proc/%d", child);
	folder = open(path, O_RDONLY | O_DIRECTORY);
	strcat(path, "/stat");
	file = open(path, O_RDONLY);
	show("own, signal 0", syscall(SYS_pidfd_send_signal, own, 0, 0, 0));
	show("/proc/PID, signal 0", syscall(SYS_pidfd_send_signal, folder, 0, 0, 0));
	show("/proc/PID, signal 65", syscall(SYS_pidfd_send_signal, folder, 65, 0, 0));
	show("/proc/PID, flags", syscall(SYS_pidfd_send_signal, folder, 0, 0, 64));
	show("/proc/PID/stat", syscall(SYS_pidfd_send_signal, file, 0, 0, 0));
	show("a pipe", syscall(SYS_pidfd_send_signal, 0, 0, 0, 0));
	show("/proc/PID, SIGTERM", syscall(SYS_pidfd_send_signal, folder, SIGTERM, 0, 0));
	waitpid(child, &status, 0);
	show("it died of", WTERMSIG(status));
	show("/proc/PID afterwards", syscall(SYS_pidfd_send_signal, folder, 0, 0, 0));
}

/* Children with a descriptor, which waitid(2) takes. */
static void children_by_descriptor(void)
{
	struct { uint64_t flags, pidfd, child, parent, signal, more[6]; } how = { CLONE_PIDFD, 8, 0, 0, SIGCHLD };
	int fd = -1, waits, go[2], number;
	siginfo_t info = { 0 };
	char byte;

	pipe(go);
	show("both", syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, 0, &fd, 0, 0));
	show("detached", syscall(SYS_clone, CLONE_PIDFD | 0x400000 | SIGCHLD, 0, &fd, 0, 0));
	show("nowhere", syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, 8, 0, 0)), show("nowhere", syscall(SYS_clone3, &how, 64));
	how.pidfd = (uintptr_t)&fd;
	if (!(number = syscall(SYS_clone3, &how, 64)))
		read(go[0], &byte, 1), _exit(fcntl(fd, F_GETFD) < 0 ? 5 : 6);
	show("closed by exec", fcntl(fd, F_GETFD)), waits = syscall(SYS_pidfd_open, number, O_NONBLOCK);
	show("not yet", waitid(P_PIDFD, waits, &info, WEXITED)), show("not yet", waitid(P_PIDFD, fd, &info, WEXITED | WNOHANG));
	write(go[1], "x", 1), show("waited", waitid(P_PIDFD, fd, &info, WEXITED));
	show("its number", info.si_pid == number), show("its status", info.si_status);
	show("again", waitid(P_PIDFD, waits, &info, WEXITED)), show("none", waitid(P_PIDFD, 77, &info, WEXITED));
	show("less", waitid(P_PIDFD, -1, &info, WEXITED)), show("another", waitid(P_PIDFD, go[0], &info, WEXITED));
	close(fd), fd = -1;
	if (!(number = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &fd, 0, 0)))
		_exit(7);
	show("waited", waitid(P_PIDFD, fd, &info, WEXITED)), show("its status", info.si_status);
	close(fd), close(waits), close(go[0]), close(go[1]);
}

static void queued(int signal, siginfo_t *info, void *context)
{
	printf("signal %d: code %d, value %d\n", signal, info->si_code,
	       info->si_code < 0 ? info->si_value.sival_int : 0);
	fflush(stdout);
}

/* Who holds a lock, and where. */
static void locks(void)
{
	struct flock own = { F_RDLCK, SEEK_SET, 10, 5 };
	FILE *file = tmpfile();
	int fd = fileno(file), status;
	pid_t child;

	show("F_SETLK", fcntl(fd, F_SETLK, &own));
	child = fork();
	if (!child) {
		struct flock other = { F_WRLCK, SEEK_SET, 0, 0 };

		show("F_GETLK", fcntl(fd, F_GETLK, &other));
		printf("%d %d %ld %ld %d\n", other.l_type == F_RDLCK, other.l_whence, (long)other.l_start,
		       (long)other.l_len, other.l_pid == getppid());
		other = (struct flock){ F_RDLCK, SEEK_SET, 0, 0 };
		show("F_GETLK", fcntl(fd, F_GETLK, &other));
		printf("%d\n", other.l_type == F_UNLCK);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, &status, 0);
	fclose(file);
}

/* What a program may say about a signal: anything to itself, to others that it queued it. */
static void words_with_signals(void)
{
	static const int codes[] = { SI_USER, SI_TKILL, SI_QUEUE, SI_KERNEL, -60 };
	struct sigaction action = { .sa_sigaction = queued, .sa_flags = SA_SIGINFO };
	int own = syscall(SYS_pidfd_open, getpid(), 0), other;
	pid_t child = fork();
	char line[40];

	if (!child)
		for (;;)
			pause();
	other = syscall(SYS_pidfd_open, child, 0);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 5; i++) {
		siginfo_t info = { .si_signo = SIGUSR1, .si_code = codes[i] };

		info.si_value.sival_int = 77;
		sprintf(line, "%d by descriptor", codes[i]);
		show(line, syscall(SYS_pidfd_send_signal, own, SIGUSR1, &info, 0));
		show("of another number", syscall(SYS_pidfd_send_signal, own, SIGUSR2, &info, 0));
		show("by number", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
		show("to another", syscall(SYS_rt_sigqueueinfo, child, 0, &info));
		show("to its thread", syscall(SYS_rt_tgsigqueueinfo, child, child, 0, &info));
		info.si_signo = 0;
		show("by its descriptor", syscall(SYS_pidfd_send_signal, other, 0, &info, 0));
		show("to none", syscall(SYS_rt_sigqueueinfo, 99999, 88, &info));
		show("to no thread", syscall(SYS_rt_tgsigqueueinfo, -1, 5, 0, &info));
	}
	show("nothing said", syscall(SYS_pidfd_send_signal, other, 0, (void *)8, 0));
	show("nothing said to none", syscall(SYS_rt_sigqueueinfo, 99999, 0, (void *)8));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	show("to what is gone", syscall(SYS_pidfd_send_signal, other, 65, NULL, 0));
	signal(SIGUSR1, SIG_DFL);
}

/* What a program that waits for a signal is told of it. */
static void waited_for(void)
{
	struct timespec soon = { 0, 1000000 };
	siginfo_t info = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGUSR1, (union sigval) { .sival_int = 5 });
	show("waited for", sigtimedwait(&set, &info, &soon));
	printf("%d %d %d %d\n", info.si_signo, info.si_code, info.si_pid == getpid(), info.si_value.sival_int);
	show("nothing", sigtimedwait(&set, NULL, &soon));
	raise(SIGUSR1);
	show("untold", sigtimedwait(&set, NULL, &soon));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void watches(void)
{
	int fd = inotify_init();

	show("nothing to watch for", inotify_add_watch(fd, "/tmp", 0));
	show("added", inotify_add_watch(fd, "/tmp", IN_CREATE | IN_MASK_ADD));
	show("made", inotify_add_watch(fd, "/tmp", IN_CREATE | 0x10000000));
	show("added and made", inotify_add_watch(fd, "/tmp", IN_CREATE | IN_MASK_ADD | 0x10000000));
	show("of a file", inotify_add_watch(fd, "/etc/passwd", IN_ACCESS | IN_ONLYDIR));
	show("of no inotify", inotify_add_watch(0, "/tmp", IN_CREATE));
	close(fd);
}

static void names(void)
{
	struct sysinfo system;
	char name[16];

	sysinfo(&system);
	printf("whole pages: %d\n", system.freeram * system.mem_unit % 4096 == 0 && system.freeram);

	prctl(PR_SET_NAME, "a-name-of-twenty-one");
	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
}

/* The row of a message queue in /proc/sysvipc. */
static void queue(void)
{
	struct { long type; char text[8]; } message = { 3, "seven b" };
	int number, mode, bytes, count, sender, receiver, id = msgget(IPC_PRIVATE, 0640);
	char line[256];
	FILE *rows = fopen("/proc/sysvipc/msg", "r");

	msgsnd(id, &message, 7, 0);
	msgsnd(id, &message, 2, 0);
	show("received", msgrcv(id, &message, 8, 0, 0));
	while (fgets(line, sizeof line, rows))
		if (sscanf(line, "%*d %d %o %d %d %d %d", &number, &mode, &bytes, &count, &sender, &receiver) == 6 &&
		    number == id)
			printf("%o %d %d %d %d\n", mode, bytes, count, sender == getpid(), receiver == getpid());
	fclose(rows);
	msgctl(id, IPC_RMID, NULL);
	id = semget(IPC_PRIVATE, 3, 0600);
	show("changed by", semctl(id, 1, GETPID));
	show("set", semctl(id, 1, SETVAL, 4));
	printf("%d\n", semctl(id, 1, GETPID) == getpid());
	semctl(id, 0, IPC_RMID);
}

/* The counters of /proc/self/io: names, and by how much known transfers raise the first four. */
static void transfers(void)
{
	char text[2][512], block[5000] = { 0 };
	long counters[2][4] = { 0 };
	int fds[2], io = open("/proc/self/io", O_RDONLY);

	fflush(stdout);
	pipe(fds);
	for (int i = 0; i < 2; i++) {
		long length = pread(io, text[i], sizeof text[i] - 1, 0);
		text[i][length > 0 ? length : 0] = 0;
		sscanf(text[i], "rchar: %ld wchar: %ld syscr: %ld syscw: %ld", &counters[i][0], &counters[i][1],
		    &counters[i][2], &counters[i][3]);
		if (!i) {
			counters[0][0] += length;
			write(fds[1], block, 3000);
			write(fds[1], block, 2000);
			write(99, block, 7);
			write(fds[1], block, 0);
			read(fds[0], block, 4500);
			pread(fds[0], block, 10, 0);
			read(99, block, 7);
		}
	}
	for (int i = 0; i < 4; i++)
		printf("counter %d: %ld\n", i, counters[1][i] - counters[0][i]);
	for (char *line = strtok(text[1], "\n"); line; line = strtok(NULL, "\n"))
		printf("%.*s\n", (int)strcspn(line, ":"), line);
	show("another's", open("/proc/1/io", O_RDONLY) >= 0 ? 0 : -1);
}

/* Reading into memory that is not there: what pipe and file have left. */
static void bad_places(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), all[6000] = "abcdefgh";
	struct iovec vector[2] = { { page, 4 }, { (void *)8, 4 } };
	int ends[2], file = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	munmap(page + 4096, 4096);
	pipe2(ends, O_NONBLOCK);
	write(ends[1], all, 8);
	show("no place", read(ends[0], (void *)8, 8));
	show("half a place", read(ends[0], page + 4092, 8));
	show("one of two places", readv(ends[0], vector, 2));
	show("left", read(ends[0], all, sizeof all));
	write(ends[1], all, 6000);
	show("no place for the second page", read(ends[0], page, 6000));
	show("left", read(ends[0], all, sizeof all));
	show("empty", read(ends[0], (void *)8, 8));
	write(file, "abcdefgh", 8);
	for (int which = 0; which < 4; which++) {
		lseek(file, 0, SEEK_SET);
		show("file", which == 0 ? read(file, (void *)8, 8) : which == 1 ? read(file, page + 4092, 8) :
		    which == 2 ? readv(file, vector, 2) : pread(file, page + 4092, 8, 2));
		show("at", lseek(file, 0, SEEK_CUR));
	}
}

/* Whether something can be mapped: sizes, protections, ways, files and offsets. */
static void maps(void)
{
	static const long sizes[] = { 0, 1, 4096, 5000, -1, -4096 };
	static const int ways[] = { 0, MAP_SHARED, MAP_PRIVATE, 3, MAP_PRIVATE | MAP_FIXED, MAP_PRIVATE | MAP_FIXED_NOREPLACE };
	static const long offsets[] = { 0, 1, 4096, 4095 };
	char *place = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ends[2], files[7] = { -1, 99, open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600), open("mapped", O_RDONLY),
	    open("mapped", O_WRONLY), open(".", O_RDONLY), open("mapped", O_PATH) };

	pipe(ends);
	write(files[2], "mapped", 6);
	for (int s = 0; s < 6; s++)
		for (int w = 0; w < 6; w++)
			for (int f = 0; f < 8; f++)
				for (int o = 0; o < 4; o++) {
					int prot = (s + w + f + o) % 4, fd = f < 7 ? files[f] : ends[0];
					int anonymous = f == 0 ? MAP_ANONYMOUS : 0;
					char *hint = w > 3 ? place + 8192 + (s == 3 && f == 1) : f == 3 ? (char *)12345 : NULL;

					if (w == 5)
						munmap(place + 8192, 4096);
					void *at = mmap(hint, sizes[s], prot, ways[w] | anonymous, fd, offsets[o]);
					printf("%d %d %d %d: %s %d\n", s, w, f, o, at == MAP_FAILED ? strerrorname_np(errno) : "mapped",
					    w > 3 && at != MAP_FAILED ? (int)((char *)at - place) : 0);
					if (at != MAP_FAILED && w < 4)
						munmap(at, sizes[s]);
					mmap(place + 8192, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
				}
	mmap(place, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (int s = 0; s < 4; s++)
		for (int o = 0; o < 4; o++) {
			show("munmap", munmap(place + 16384 + offsets[o], sizes[s]));
			show("mprotect", mprotect(place + 32768 + offsets[o], sizes[s], PROT_READ));
			show("madvise", madvise(place + 40960 + offsets[o], sizes[s], MADV_NORMAL));
			show("msync", msync(place + 40960 + offsets[o], sizes[s], MS_SYNC));
			show("mlock", mlock(place + 49152 + offsets[o], sizes[s]));
		}
	for (int which = -1; which < 16; which++) {
		show("msync with flags", msync(place + 40960, 4096, which));
		show("mprotect with", mprotect(place + 40960, 4096, which));
		show("madvise with", which == 4 || which == 9 || which > 9 ? 0 : madvise(place + 40960, 4096, which));
	}
	munmap(place, 65536);
	for (int i = 2; i < 7; i++)
		close(files[i]);
	unlink("mapped");
}

/* What device a number means, by its parts. */
static void device_numbers(void)
{
	static const unsigned numbers[] = { 0, 0x103, 0xfff00, 0xfffff, 0x12345678, 0x80000001, 0xfffabcff, 0x100000 };

	for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		for (int kind = 0; kind < 3; kind++) {
			struct stat status = { 0 };
			int result = syscall(SYS_mknod, "numbered", (int[]){ S_IFCHR, S_IFBLK, S_IFREG }[kind] | 0640, numbers[i]);

			printf("%x %d: %d", numbers[i], kind, result);
			lstat("numbered", &status);
			printf(" %o %llx\n", status.st_mode, (unsigned long long)status.st_rdev);
			unlink("numbered");
		}
	for (int kind = 0; kind < 16; kind++)
		show("mknod of a kind", kind == 2 || kind == 6 ? 0 : syscall(SYS_mknod, "numbered", kind << 12 | 0600, 0)), unlink("numbered");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	terminal();
	groups();
	remaps();
	addresses();
	sizes_and_flags();
	traced();
	areas();
	descriptors_of_processes();
	children_by_descriptor();
	words_with_signals();
	locks();
	waited_for();
	watches();
	names();
	queue();
	transfers();
	bad_places();
	maps();
	device_numbers();
	return 0;
}
