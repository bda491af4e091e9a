/* Structures that end where memory ends, and one byte beyond: each call reads and writes as many bytes as it should. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static char *end, zeros[4096], room[4096];

/* Make a call with `p` so that `size` bytes from there on, or one less, are memory. */
#define EXACT(size, data, call) do \
	for (int more = 0; more < 2; more++) { \
		char *p = end - (size) + more; \
		long result; \
		memcpy(p, (data), (size) - more), errno = 0, result = (call); \
		if (!more) \
			printf("%.40s:", #call); \
		if (result < 0) \
			printf(" %s", strerrorname_np(errno)); \
		else \
			printf(" done"); \
		if (more) \
			putchar('\n'); \
	} while (0)
#define CALL(number, ...) syscall(number, ##__VA_ARGS__)
#define WORD sizeof(long)

static void caught(int number)
{
}

static void of_times(void)
{
	long brief[4] = { 0, 1000, 0, 1000 }, spec[4] = { 0 };
	timer_t timer;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), file = open("f", O_RDWR | O_CREAT, 0600);

	timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = SIGEV_NONE }, &timer);
	EXACT(2 * WORD, brief, CALL(SYS_nanosleep, p, NULL));
	EXACT(2 * WORD, brief, CALL(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, p, NULL));
	EXACT(2 * WORD, zeros, CALL(SYS_clock_gettime, CLOCK_MONOTONIC, p));
	EXACT(2 * WORD, zeros, CALL(SYS_clock_getres, CLOCK_MONOTONIC, p));
	EXACT(2 * WORD, zeros, CALL(SYS_gettimeofday, p, NULL));
	EXACT(8, zeros, CALL(SYS_gettimeofday, NULL, p));
	EXACT(4 * WORD, zeros, CALL(SYS_times, p) | 1);
	EXACT(18 * WORD, zeros, CALL(SYS_getrusage, RUSAGE_SELF, p));
	EXACT(18 * WORD, zeros, CALL(SYS_getrusage, RUSAGE_CHILDREN, p));
	EXACT(18 * WORD, zeros, CALL(SYS_getrusage, 1, p));
	EXACT(4 * WORD, zeros, CALL(SYS_getitimer, ITIMER_REAL, p));
	EXACT(4 * WORD, zeros, CALL(SYS_setitimer, ITIMER_REAL, p, NULL));
	EXACT(4 * WORD, zeros, CALL(SYS_setitimer, ITIMER_REAL, NULL, p));
	EXACT(64, zeros, CALL(SYS_timer_create, CLOCK_MONOTONIC, p, &timer));
	EXACT(4, zeros, CALL(SYS_timer_create, CLOCK_MONOTONIC, NULL, p));
	EXACT(4 * WORD, spec, CALL(SYS_timer_settime, timer, 0, p, NULL));
	EXACT(4 * WORD, spec, CALL(SYS_timer_settime, timer, 0, spec, p));
	EXACT(4 * WORD, spec, CALL(SYS_timer_gettime, timer, p));
	EXACT(4 * WORD, spec, CALL(SYS_timerfd_settime, fd, 0, p, NULL));
	EXACT(4 * WORD, spec, CALL(SYS_timerfd_settime, fd, 0, spec, p));
	EXACT(4 * WORD, spec, CALL(SYS_timerfd_gettime, fd, p));
	EXACT(4 * WORD, spec, CALL(SYS_utimensat, AT_FDCWD, "f", p, 0));
	EXACT(2 * WORD, zeros, CALL(SYS_sched_rr_get_interval, 0, p));
#ifdef SYS_time
	EXACT(WORD, zeros, CALL(SYS_time, p) | 1);
	EXACT(4 * WORD, zeros, CALL(SYS_utimes, "f", p));
	EXACT(4 * WORD, zeros, CALL(SYS_futimesat, AT_FDCWD, "f", p));
	EXACT(2 * WORD, zeros, CALL(SYS_utime, "f", p));
#endif
	close(fd), close(file);
}

static void of_signals(void)
{
	sigset_t none;
	siginfo_t info = { .si_signo = 0, .si_code = SI_QUEUE };
	long action[16] = { 0 }, brief[2] = { 0, 0 };

	sigemptyset(&none);
	EXACT(3 * WORD + 8, action, CALL(SYS_rt_sigaction, SIGUSR1, p, NULL, 8));
	EXACT(3 * WORD + 8, action, CALL(SYS_rt_sigaction, SIGUSR1, NULL, p, 8));
	EXACT(8, zeros, CALL(SYS_rt_sigprocmask, SIG_BLOCK, p, NULL, 8));
	EXACT(8, zeros, CALL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, p, 8));
	EXACT(8, zeros, CALL(SYS_rt_sigpending, p, 8));
	EXACT(4, zeros, CALL(SYS_rt_sigpending, p, 4));
	EXACT(8, zeros, CALL(SYS_rt_sigtimedwait, p, NULL, brief, 8));
	EXACT(2 * WORD, zeros, CALL(SYS_rt_sigtimedwait, &none, NULL, p, 8));
	raise(0), sigaddset(&none, SIGUSR1), sigprocmask(SIG_BLOCK, &none, NULL), raise(SIGUSR1);
	EXACT(128, zeros, (raise(SIGUSR1), CALL(SYS_rt_sigtimedwait, &none, p, brief, 8)));
	EXACT(3 * WORD, zeros, CALL(SYS_sigaltstack, NULL, p));
	stack_t off = { .ss_flags = SS_DISABLE };
	EXACT(sizeof off, &off, CALL(SYS_sigaltstack, p, NULL));
	EXACT(WORD == 8 ? 48 : 128, &info, CALL(SYS_rt_sigqueueinfo, getpid(), 0, p));
	EXACT(8, zeros, CALL(SYS_signalfd4, -1, p, 8, 0));
	int fd = signalfd(-1, &none, SFD_NONBLOCK);
	EXACT(128, zeros, (raise(SIGUSR1), CALL(SYS_read, fd, p, 128)));
	signal(SIGUSR1, caught), sigprocmask(SIG_UNBLOCK, &none, NULL), close(fd);
#ifdef __i386__
	EXACT(16, action, CALL(67, SIGUSR1, p, NULL));
	EXACT(16, action, CALL(67, SIGUSR1, NULL, p));
	EXACT(4, zeros, CALL(126, SIG_BLOCK, p, NULL));
	EXACT(4, zeros, CALL(126, SIG_BLOCK, NULL, p));
	EXACT(4, zeros, CALL(73, p));
#endif
}

static void of_processes(void)
{
	struct { long soft, hard; } limit = { 100, 100 };
	uint64_t wide[2] = { 100, 100 }, clone_arguments[8] = { 0 };
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 }, first = { _LINUX_CAPABILITY_VERSION_1, 0 };
	struct __user_cap_data_struct data[2];
	cpu_set_t processors;
	int status;

	EXACT(2 * WORD, &limit, CALL(SYS_setrlimit, RLIMIT_CORE, p));
	EXACT(2 * WORD, zeros, CALL(SYS_getrlimit, RLIMIT_CORE, p));
	EXACT(16, wide, CALL(SYS_prlimit64, 0, RLIMIT_CORE, p, NULL));
	EXACT(16, zeros, CALL(SYS_prlimit64, 0, RLIMIT_CORE, NULL, p));
	EXACT(sizeof(struct sysinfo), zeros, CALL(SYS_sysinfo, p));
	EXACT(390, zeros, CALL(SYS_uname, p));
	EXACT(8, &header, CALL(SYS_capget, p, NULL));
	EXACT(24, zeros, CALL(SYS_capget, &header, p));
	EXACT(12, zeros, CALL(SYS_capget, &first, p));
	capget(&header, data);
	EXACT(8, &header, CALL(SYS_capset, p, data));
	EXACT(24, data, CALL(SYS_capset, &header, p));
	EXACT(16, "a name of a th", CALL(SYS_prctl, PR_GET_NAME, p));
	EXACT(8, "a name\0", CALL(SYS_prctl, PR_SET_NAME, p));
	EXACT(4, zeros, CALL(SYS_prctl, PR_GET_PDEATHSIG, p));
	EXACT(4, zeros, CALL(SYS_sched_getparam, 0, p));
	EXACT(4, zeros, CALL(SYS_sched_setparam, 0, p));
	EXACT(4, zeros, CALL(SYS_sched_setscheduler, 0, 0, p));
	sched_getaffinity(0, sizeof processors, &processors);
	EXACT(8, &processors, CALL(SYS_sched_setaffinity, 0, 8, p));
	EXACT(4, zeros, CALL(SYS_getcpu, p, NULL));
	EXACT(4, zeros, CALL(SYS_getcpu, NULL, p));
	for (int id = 0; id < 3; id++) {
		uid_t ids[3];
		EXACT(4, zeros, CALL(SYS_getresuid, id == 0 ? (void *)p : ids, id == 1 ? (void *)p : ids + 1, id == 2 ? (void *)p : ids + 2));
		EXACT(4, zeros, CALL(SYS_getresgid, id == 0 ? (void *)p : ids, id == 1 ? (void *)p : ids + 1, id == 2 ? (void *)p : ids + 2));
	}
	EXACT(7, zeros, CALL(SYS_getrandom, p, 7, 0));
	EXACT(WORD, zeros, CALL(SYS_get_robust_list, 0, p, &limit));
	EXACT(WORD, zeros, CALL(SYS_get_robust_list, 0, &limit, p));
	EXACT(sizeof(int), zeros, fork() ? CALL(SYS_wait4, -1, p, 0, NULL) : (_exit(0), 0));
	EXACT(18 * WORD, zeros, fork() ? CALL(SYS_wait4, -1, &status, 0, p) : (_exit(0), 0));
	EXACT(128, zeros, fork() ? CALL(SYS_waitid, P_ALL, 0, p, WEXITED, NULL) : (_exit(0), 0));
	EXACT(18 * WORD, zeros, fork() ? CALL(SYS_waitid, P_ALL, 0, NULL, WEXITED, p) : (_exit(0), 0));
	clone_arguments[4] = SIGCHLD;
	EXACT(64, clone_arguments, (status = CALL(SYS_clone3, p, 64)) ? status : (_exit(0), 0));
	while (wait(NULL) > 0)
		;
	uint32_t word = 0;
	EXACT(2 * WORD, zeros, CALL(SYS_futex, &word, FUTEX_WAIT, 0, p, NULL, 0));
	EXACT(4, zeros, CALL(SYS_futex, p, FUTEX_WAKE, 1, NULL, NULL, 0));
	EXACT(4, zeros, CALL(SYS_futex, end - 4, FUTEX_CMP_REQUEUE, 0, 0, &word, more ? 1 : 0));
#ifdef __x86_64__
	EXACT(8, zeros, CALL(SYS_arch_prctl, 0x1003, p));
#elif defined(__i386__)
	EXACT(8, zeros, CALL(76, RLIMIT_CORE, p));
	EXACT(4, zeros, fork() ? CALL(7, -1, p, 0) : (_exit(0), 0));
	EXACT(8, zeros, CALL(80, 4, p) < 0 ? -1 : 0);
	EXACT(2, zeros, CALL(165, p, &word, &word));
	uint32_t words[6] = { 0, 4096, 3, 0x22, -1, 0 };
	EXACT(24, words, CALL(90, p) == -1 ? -1 : 0);
	uint32_t five[5] = { 0 };
	long none[2] = { 0 };
	five[4] = (uint32_t)(unsigned long)none;
	EXACT(20, five, CALL(82, p));
	EXACT(8, zeros, CALL(140, open("f", O_RDWR), 0, 0, p, 0));
	while (wait(NULL) > 0)
		;
#endif
}

static void of_files(void)
{
	int fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0600), other = open("g", O_RDWR | O_CREAT, 0600), ends[2], terminal = posix_openpt(O_RDWR | O_NOCTTY), epoll = epoll_create1(0);
	struct iovec vector[2] = { { room, 4 }, { room, 4 } };
	struct flock lock = { F_WRLCK, SEEK_SET, 0, 1 };
	uint64_t how[3] = { O_RDONLY }, offset = 0;
	struct pollfd one = { fd, POLLIN };
	long brief[2] = { 0, 0 };
	uint32_t owner[2] = { 1, getpid() };
	int64_t at = 0;

	pipe(ends), write(fd, "0123456789abcdef", 16), symlink("a link's text", "l");
	struct epoll_event event = { EPOLLIN };
	EXACT(sizeof(struct statfs), zeros, CALL(SYS_statfs, ".", p));
	EXACT(sizeof(struct statfs), zeros, CALL(SYS_fstatfs, fd, p));
	EXACT(256, zeros, CALL(SYS_statx, AT_FDCWD, "f", 0, 0xfff, p));
	EXACT(sizeof(struct stat), zeros, CALL(
#ifdef __i386__
	    300, AT_FDCWD, "f", p, 0));
	EXACT(96, zeros, CALL(197, fd, p));
	EXACT(84, zeros, CALL(267, fd, 84, p) < 0 && errno != ENOSYS ? -1 : 0);
	EXACT(84, zeros, CALL(268, ".", 84, p));
	EXACT(24, ((short[12]){ F_WRLCK, 0, 0, 0, 0, 0, 1 }), CALL(221, fd, 13, p));
#else
	    SYS_newfstatat, AT_FDCWD, "f", p, 0));
	EXACT(sizeof(struct stat), zeros, CALL(SYS_fstat, fd, p));
#endif
	EXACT(13, zeros, CALL(SYS_readlinkat, AT_FDCWD, "l", p, 13));
	EXACT(14, zeros, CALL(SYS_readlinkat, AT_FDCWD, "l", p, 100));
	EXACT(2 * sizeof *vector, vector, CALL(SYS_readv, fd, p, 2));
	EXACT(2 * sizeof *vector, vector, CALL(SYS_writev, other, p, 2));
	EXACT(2 * sizeof *vector, vector, CALL(SYS_preadv, fd, p, 2, 0, 0));
	EXACT(2 * sizeof *vector, vector, CALL(SYS_pwritev, other, p, 2, 0, 0));
	EXACT(16, zeros, CALL(SYS_pread64, fd, p, 16, 0));
	EXACT(16, zeros, CALL(SYS_pwrite64, other, p, 16, 0));
	EXACT(sizeof lock, &lock, CALL(SYS_fcntl, fd, F_SETLK, p));
	EXACT(sizeof lock, &lock, CALL(SYS_fcntl, fd, F_GETLK, p));
	EXACT(8, owner, CALL(SYS_fcntl, ends[0], F_SETOWN_EX, p));
	EXACT(8, zeros, CALL(SYS_fcntl, ends[0], F_GETOWN_EX, p));
	EXACT(24, how, CALL(SYS_openat2, AT_FDCWD, "f", p, 24));
	EXACT(WORD, &at, CALL(SYS_sendfile, other, fd, p, 1));
	EXACT(8, &offset, CALL(SYS_copy_file_range, fd, p, other, NULL, 1, 0));
	EXACT(8, &offset, CALL(SYS_copy_file_range, fd, NULL, other, p, 1, 0));
	EXACT(8, &offset, CALL(SYS_splice, fd, p, ends[1], NULL, 1, 0));
	EXACT(8, &offset, CALL(SYS_splice, ends[0], NULL, other, p, 1, 0));
	EXACT(8, zeros, CALL(SYS_pipe2, p, 0));
	EXACT(sizeof one, &one, CALL(SYS_ppoll, p, 1, brief, NULL, 8));
	EXACT(2 * WORD, zeros, CALL(SYS_ppoll, &one, 1, p, NULL, 8));
	EXACT(8, zeros, CALL(SYS_ppoll, &one, 1, brief, p, 8));
	for (int set = 0; set < 3; set++)
		EXACT(WORD, zeros, CALL(SYS_pselect6, 20, set == 0 ? p : NULL, set == 1 ? p : NULL, set == 2 ? p : NULL, brief, NULL));
	EXACT(2 * WORD, zeros, CALL(SYS_pselect6, 0, NULL, NULL, NULL, p, NULL));
	EXACT(2 * WORD, zeros, CALL(SYS_pselect6, 0, NULL, NULL, NULL, brief, p));
	EXACT(sizeof event, &event, CALL(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ends[1], p));
	EXACT(sizeof event, &event, CALL(SYS_epoll_ctl, epoll, EPOLL_CTL_MOD, ends[1], p));
	event.events = EPOLLOUT, epoll_ctl(epoll, EPOLL_CTL_MOD, ends[1], &event);
	EXACT(sizeof event, zeros, CALL(SYS_epoll_pwait, epoll, p, 1, 0, NULL, 8));
	EXACT(8, zeros, CALL(SYS_epoll_pwait, epoll, &event, 1, 0, p, 8));
	EXACT(4, zeros, CALL(SYS_ioctl, fd, FIONREAD, p));
	EXACT(4, zeros, CALL(SYS_ioctl, ends[0], FIONREAD, p));
	EXACT(4, zeros, CALL(SYS_ioctl, ends[0], FIONBIO, p));
	EXACT(8, zeros, CALL(SYS_ioctl, terminal, TIOCGWINSZ, p));
	EXACT(8, zeros, CALL(SYS_ioctl, terminal, TIOCSWINSZ, p));
	EXACT(4, zeros, CALL(SYS_ioctl, terminal, TIOCGPTN, p));
	EXACT(4, zeros, CALL(SYS_ioctl, terminal, TIOCSPTLCK, p));
	EXACT(4, zeros, CALL(SYS_ioctl, terminal, TIOCGPTLCK, p));
	EXACT(4, zeros, CALL(SYS_ioctl, terminal, TIOCOUTQ, p));
	char modes[44];
	ioctl(terminal, TCGETS, modes);
	EXACT(36, zeros, CALL(SYS_ioctl, terminal, TCGETS, p));
	EXACT(36, modes, CALL(SYS_ioctl, terminal, TCSETS, p));
	EXACT(44, zeros, CALL(SYS_ioctl, terminal, 0x802c542a, p));
	ioctl(terminal, 0x802c542a, modes);
	EXACT(44, modes, CALL(SYS_ioctl, terminal, 0x402c542b, p));
	EXACT(2, "f", CALL(SYS_openat, AT_FDCWD, p, O_RDONLY));
	EXACT(8, zeros, CALL(SYS_read, eventfd(1, 0), p, 8));
	EXACT(8, zeros, CALL(SYS_write, eventfd(1, 0), p, 8));
	int watcher = inotify_init1(IN_NONBLOCK);
	inotify_add_watch(watcher, "f", IN_ATTRIB), chmod("f", 0600);
	EXACT(16, zeros, (chmod("f", 0600), CALL(SYS_read, watcher, p, 16)));
	int folder = (mkdir("folder", 0700), open("folder", O_RDONLY));
	EXACT(48, zeros, (lseek(folder, 0, SEEK_SET), CALL(SYS_getdents64, folder, p, 48)));
#ifdef SYS_poll
	EXACT(sizeof one, &one, CALL(SYS_poll, p, 1, 0));
#endif
}

static void of_sockets(void)
{
	int pair[2], listener = socket(AF_UNIX, SOCK_STREAM, 0), internet = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
	struct sockaddr_un name = { AF_UNIX, "socket" };
	struct sockaddr_in here = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } };
	struct iovec vector = { room, 4 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	struct mmsghdr many = { message };
	socklen_t size = 4;

	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair);
	EXACT(8, zeros, CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, p));
	EXACT(9, &name, CALL(SYS_bind, listener, p, 9));
	EXACT(sizeof here, &here, CALL(SYS_bind, internet, p, sizeof here));
	listen(listener, 9), size = sizeof here, getsockname(internet, (void *)&here, &size);
	EXACT(sizeof here, &here, CALL(SYS_connect, internet, p, sizeof here));
	EXACT(sizeof here, &here, CALL(SYS_sendto, internet, "x", 1, 0, p, sizeof here));
	EXACT(9, &name, CALL(SYS_connect, socket(AF_UNIX, SOCK_STREAM, 0), p, 9));
	size = sizeof here;
	EXACT(sizeof here, zeros, (size = sizeof here, CALL(SYS_getsockname, internet, p, &size)));
	EXACT(sizeof here, zeros, (size = sizeof here, CALL(SYS_getpeername, internet, p, &size)));
	EXACT(sizeof here, zeros, (size = sizeof here, CALL(SYS_recvfrom, internet, room, 1, MSG_DONTWAIT, p, &size)));
	EXACT(4, &size, CALL(SYS_getsockname, internet, room, p));
	EXACT(4, zeros, (size = 4, CALL(SYS_getsockopt, internet, SOL_SOCKET, SO_TYPE, p, &size)));
	EXACT(4, &size, CALL(SYS_getsockopt, internet, SOL_SOCKET, SO_TYPE, &on, p));
	EXACT(4, &on, CALL(SYS_setsockopt, internet, SOL_SOCKET, SO_REUSEADDR, p, 4));
	EXACT(2 * WORD, zeros, CALL(SYS_setsockopt, internet, SOL_SOCKET, 20, p, 2 * WORD));
	EXACT(12, zeros, (size = 12, CALL(SYS_getsockopt, pair[0], SOL_SOCKET, SO_PEERCRED, p, &size)));
	EXACT(sizeof message, &message, CALL(SYS_sendmsg, pair[0], p, 0));
	EXACT(sizeof vector, &vector, (message.msg_iov = (void *)p, CALL(SYS_sendmsg, pair[0], &message, 0)));
	message.msg_iov = &vector;
	EXACT(sizeof many, &many, CALL(SYS_sendmmsg, pair[0], p, 1, 0));
	EXACT(sizeof message, &message, CALL(SYS_recvmsg, pair[1], p, MSG_DONTWAIT));
	EXACT(sizeof vector, &vector, (message.msg_iov = (void *)p, CALL(SYS_recvmsg, pair[1], &message, MSG_DONTWAIT)));
	EXACT(sizeof many, &many, CALL(SYS_recvmmsg, pair[1], p, 1, MSG_DONTWAIT, NULL));
	unlink("socket");
}

static void of_ipc(void)
{
	int set = semget(IPC_PRIVATE, 2, 0600), queue = msgget(IPC_PRIVATE, 0600), segment = shmget(IPC_PRIVATE, 4096, 0600);
	struct sembuf two[2] = { { 0, 1 }, { 1, 1 } };
	struct { long type; char text[5]; } message = { 1, "text" };
	long none[2] = { 0 };

	EXACT(sizeof two, two, semop(set, (void *)p, 2));
	EXACT(4, zeros, semctl(set, 0, GETALL, p));
	EXACT(4, zeros, semctl(set, 0, SETALL, p));
	EXACT(WORD + 5, &message, msgsnd(queue, p, 5, 0));
	EXACT(WORD + 5, zeros, msgrcv(queue, p, 5, 0, IPC_NOWAIT));
	if (sizeof(long) == 8) {
		EXACT(sizeof(struct semid_ds), zeros, semctl(set, 0, IPC_STAT, p));
		EXACT(sizeof(struct msqid_ds), zeros, msgctl(queue, IPC_STAT, (void *)p));
		EXACT(sizeof(struct shmid_ds), zeros, shmctl(segment, IPC_STAT, (void *)p));
		EXACT(2 * WORD, zeros, semtimedop(set, &(struct sembuf){ 0, -9 }, 1, (void *)p));
	}
	semctl(set, 0, IPC_RMID), msgctl(queue, IPC_RMID, NULL), shmctl(segment, IPC_RMID, NULL);
}

int main(void)
{
	char *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	end = memory + 8192, munmap(end, 4096);
	of_times(), of_signals(), of_processes(), of_files(), of_sockets(), of_ipc();
	return 0;
}
