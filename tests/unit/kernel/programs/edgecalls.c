/* Calls in rarer forms and at their edges: owners of files, removed directories, names in /proc, old forms of 32 bits. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

#define BAD ((void *)8)

static void of_owners(void)
{
	static const struct { int kind, number; } owners[] = { { 0, 0 }, { 0, -2 }, { 1, 0 }, { 1, -2 }, { 2, 0 }, { 2, -2 }, { 3, 0 }, { -1, 0 }, { 1, 99999 }, { 2, 99999 } };
	int pair[2], kinds[5], which[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	pipe(kinds), kinds[2] = pair[0], kinds[3] = open("f", O_RDWR | O_CREAT, 0600), kinds[4] = open("f", O_PATH);
	for (int i = 0; i < 5; i++) {
		int fd = kinds[i];
		printf("\nowner %d:", i);
		say(syscall(SYS_fcntl, fd, F_GETOWN)), say(fcntl(fd, F_SETOWN, getpid())), say(syscall(SYS_fcntl, fd, F_GETOWN) == getpid()), say(fcntl(fd, F_SETOWN, -getpgrp()));
		which[0] = which[1] = 7, say(fcntl(fd, F_GETOWN_EX, which)), say(which[0]), say(which[1] == getpgrp());
		for (unsigned o = 0; o < sizeof owners / sizeof owners[0]; o++) {
			which[0] = owners[o].kind, which[1] = owners[o].number == -2 ? owners[o].kind == 2 ? getpgrp() : getpid() : owners[o].number;
			say(fcntl(fd, F_SETOWN_EX, which)), which[0] = which[1] = -7;
			say(fcntl(fd, F_GETOWN_EX, which)), say(which[0] < 0 ? -1 : which[0]), say(which[1] == getpid());
		}
		say(fcntl(fd, F_SETOWN_EX, BAD)), say(fcntl(fd, F_GETOWN_EX, BAD)), say(fcntl(fd, F_SETOWN, 99999)), say(fcntl(fd, F_SETOWN, 0)), say(fcntl(fd, F_SETOWN, 0x80000000));
		say(fcntl(fd, F_SETSIG, 65)), say(fcntl(fd, F_SETSIG, SIGRTMIN)), say(fcntl(fd, F_GETSIG) == SIGRTMIN), say(fcntl(fd, F_SETSIG, -1)), say(fcntl(fd, F_SETSIG, 0));
		i == 3 ? 0 : (say(fcntl(fd, F_GET_SEALS)), say(fcntl(fd, F_ADD_SEALS, 0)), 0), say(fcntl(fd, F_GETPIPE_SZ) > 0), say(fcntl(fd, F_GETLEASE)), say(fcntl(fd, 77));
	}
}

static void of_gone_directories(void)
{
	char entries[1000];
	int fd, made;

	mkdir("gone", 0777);
	fd = open("gone", O_RDONLY), chdir("gone"), rmdir("../gone");
	printf("\nin a directory that is gone:");
	say(syscall(SYS_getdents64, fd, entries, sizeof entries)), say(mkdir("x", 0777)), say(open("x", O_CREAT | O_RDWR, 0600)), say(symlink("x", "y")), say(mknod("p", S_IFIFO | 0600, 0)), say(link("../f", "l")), say(rename("../f", "l"));
	say(open("x", O_RDONLY)), say(open("..", O_RDONLY)), say(open(".", O_RDONLY) >= 0), say(getcwd(entries, sizeof entries) ? 0 : -1), say(bind(socket(AF_UNIX, SOCK_STREAM, 0), &(struct sockaddr_un){ AF_UNIX, "s" }, 4));
	struct stat status;
	say(fstat(fd, &status)), say(status.st_nlink), say(rmdir(".")), say(rmdir("../gone")), say(access(".", F_OK)), say(chdir(".")), say(chmod(".", 0700)), say(chdir(".."));
	close(fd);
}

static void of_roots(void)
{
	char path[100];
	pid_t child;

	printf("\nroots:");
	fflush(stdout);
	if (!(child = fork())) {
		mkdir("cell", 0777), mkdir("cell/in", 0777);
		say(chroot("f")), say(chroot("nothing")), say(chroot(BAD)), say(chroot("cell/in")), say(rmdir("cell/in")), say(open("/", O_RDONLY) < 0 ? -1 : 0), say(mkdir("/x", 0777)), say(open("/..", O_RDONLY) < 0 ? -1 : 0), say(rmdir("/")), say(unlink("/")), say(rename("/", "x")), say(mkdir("/", 0777)), say(link("/", "y")), say(access("/f", F_OK)), say(access("f", F_OK)), say(access("../../../../../etc", F_OK));
		fflush(stdout), _exit(0);
	}
	waitpid(child, NULL, 0), rmdir("cell/in"), rmdir("cell");
	say(rmdir("/")), say(unlink("/")), say(unlink("/.")), say(rmdir("/.")), say(rmdir("/..")), say(rename("/", "x")), say(rename("f", "/")), say(rename("f", "..")), say(rename(".", "x")), say(mkdir(".", 0)), say(mkdir("f", 0)), say(symlink("x", "/")), say(link("f", "/")), say(link("f", "."));
}

static void of_descriptors(void)
{
	static const char *const files[] = { "epoll", "event", "timer", "signals", "inotify", "pipe", "socket", "file", "gone", "memory", "pid", "directory" };
	int fds[12], ends[2], status;
	sigset_t set;
	char path[64], text[300], *at;

	sigemptyset(&set), sigaddset(&set, SIGUSR1);
	pipe(ends);
	fds[0] = epoll_create1(0), fds[1] = eventfd(0, 0), fds[2] = timerfd_create(CLOCK_MONOTONIC, 0), fds[3] = signalfd(-1, &set, 0), fds[4] = inotify_init(), fds[5] = ends[0], fds[6] = socket(AF_UNIX, SOCK_STREAM, 0), fds[7] = open("f", O_RDWR | O_APPEND), fds[8] = open("g", O_RDWR | O_CREAT, 0600), fds[9] = memfd_create("m", 0), fds[10] = syscall(SYS_pidfd_open, getpid(), 0), fds[11] = open(".", O_RDONLY | O_CLOEXEC);
	unlink("g"), write(fds[7], "bytes", 5), write(ends[1], "piped", 5);
	for (int i = 0; i < 12; i++) {
		printf("\n%s:", files[i]);
		sprintf(path, "/proc/self/fd/%d", fds[i]);
		memset(text, 0, sizeof text);
		ssize_t size = readlink(path, text, sizeof text - 1);
		at = text + strcspn(text, "0123456789");
		if (i == 5 || i == 6) /* the number differs */
			memmove(at, at + strspn(at, "0123456789"), 1 + strlen(at + strspn(at, "0123456789")));
		printf(" %s", i == 7 || i == 8 || i == 11 ? i == 11 ? "" : strrchr(text, '/') : text);
		for (int flags = 0; flags < 3 && i != 10; flags++) {
			int again = open(path, flags | O_NONBLOCK);
			say(again < 0 ? -1 : 0);
			if (again >= 0 && i == 5)
				say(flags == 1 ? write(again, "x", 1) : read(again, text, 3));
			if (again >= 0 && (i == 7 || i == 8 || i == 9))
				say(write(again, "12", 2)), say(lseek(again, 0, SEEK_CUR)), say(lseek(fds[i], 0, SEEK_CUR));
			close(again);
		}
		say(i == 10 ? 0 : truncate(path, 3)), say(access(path, R_OK)), say(open(path, O_RDONLY | O_DIRECTORY) < 0 ? -1 : 0), say(open(path, O_RDONLY | O_NOFOLLOW) < 0 ? -1 : 0), say(unlink(path) < 0 ? 0 : 1);
		sprintf(path, "/proc/self/fdinfo/%d", fds[i]);
		int info = open(path, O_RDONLY);
		memset(text, 0, sizeof text), read(info, text, sizeof text - 1), close(info);
		at = strstr(text, "mnt_id");
		if (at)
			*at = 0;
		for (at = text; *at; at++)
			putchar(*at == '\n' || *at == '\t' ? ' ' : *at);
	}
	printf("\nset anew:");
	say(syscall(SYS_signalfd4, fds[3], &set, 8, 0) == fds[3]), say(syscall(SYS_signalfd4, fds[1], &set, 8, 0)), say(syscall(SYS_signalfd4, 900, &set, 8, 0)), say(syscall(SYS_signalfd4, -1, &set, 8, 1)), say(syscall(SYS_signalfd4, -1, &set, 7, 0)), say(syscall(SYS_signalfd4, -1, BAD, 8, 0));
	struct epoll_event event = { EPOLLIN, { .u64 = 5 } };
	say(epoll_ctl(fds[0], EPOLL_CTL_ADD, fds[1], &event)), event.events |= EPOLLEXCLUSIVE, say(epoll_ctl(fds[0], EPOLL_CTL_MOD, fds[1], &event)), say(epoll_ctl(fds[0], EPOLL_CTL_ADD, ends[0], &event)), event.events = EPOLLIN, say(epoll_ctl(fds[0], EPOLL_CTL_MOD, ends[0], &event)), event.events = EPOLLEXCLUSIVE | EPOLLONESHOT, say(epoll_ctl(fds[0], EPOLL_CTL_ADD, fds[6], &event)), event.events = EPOLLEXCLUSIVE | EPOLLIN, say(epoll_ctl(fds[0], EPOLL_CTL_ADD, epoll_create1(0), &event));
	struct itimerspec soon = { { 0, 3000000 }, { 0, 3000000 } };
	uint64_t count;
	timerfd_settime(fds[2], 0, &soon, NULL);
	for (int i = 0; i < 3; i++)
		say(read(fds[2], &count, 8)), say(count > 0);
	usleep(20000), say(read(fds[2], &count, 8)), say(count > 3), say(timerfd_gettime(fds[2], &soon)), say(soon.it_interval.tv_nsec), say(soon.it_value.tv_nsec > 0 && soon.it_value.tv_nsec <= 3000000);
	pid_t child = fork();
	if (!child)
		pause(), _exit(0);
	int pidfd = syscall(SYS_pidfd_open, child, 0);
	struct pollfd waiting = { pidfd, POLLIN | POLLOUT };
	say(poll(&waiting, 1, 0)), say(waiting.revents), kill(child, SIGKILL), say(poll(&waiting, 1, -1)), say(waiting.revents & POLLIN), waitpid(child, &status, 0), say(syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0));
	for (int i = 0; i < 12; i++)
		close(fds[i]);
}

static void of_proc(void)
{
	char text[100] = { 0 }, other[64];
	int fd, status;
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	printf("\n/proc:");
	fd = open("/proc/self/comm", O_RDWR | O_TRUNC), say(fd >= 0), say(write(fd, "a name that is long", 19)), say(pread(fd, text, 99, 0)), printf(" %s", text), say(pwrite(fd, "b\n", 2, 7)), memset(text, 0, 100), say(pread(fd, text, 99, 0)), printf(" %s", text), say(ftruncate(fd, 0)), say(write(fd, "", 0)), say(lseek(fd, 0, SEEK_END)), close(fd);
	sprintf(other, "/proc/%d/comm", child), fd = open(other, O_WRONLY), say(fd >= 0), say(write(fd, "x", 1)), close(fd);
	fd = open("/proc/self/stat", O_RDONLY), say(fd >= 0), say(write(fd, "x", 1)), close(fd), say(open("/proc/self/stat", O_WRONLY) < 0 ? -1 : 0), say(truncate("/proc/self/stat", 0) < 0 ? -1 : 0), say(open("/proc/uptime", O_CREAT | O_RDONLY, 0600) < 0 ? -1 : 0), say(open("/proc/new", O_CREAT | O_RDWR, 0600)), say(mkdir("/proc/new", 0700)), say(unlink("/proc/uptime")), say(rmdir("/proc/self")), say(symlink("x", "/proc/new")), say(link("/proc/uptime", "/proc/new")), say(rename("/proc/uptime", "/proc/new")), say(rename("f", "/proc/new")), say(mknod("/proc/new", S_IFIFO | 0600, 0)), say(mkdir("/proc/self/fd/new", 0700)), say(unlink("/proc/self/fd/0")), say(renameat2(AT_FDCWD, "f", AT_FDCWD, "/proc/uptime", RENAME_EXCHANGE)), say(open("/proc/self/fd/77", O_RDONLY)), say(open("/proc/99999", O_RDONLY)), say(open("/proc/self/none", O_RDONLY)), say(open("/proc/0", O_RDONLY)), say(open("/proc/01", O_RDONLY)), say(open("/proc/-1", O_RDONLY));
	printf("\nmemory:");
	static char page[16] = "0123456789abcde";
	sprintf(other, "/proc/%d/mem", child);
	for (int which = 0; which < 2; which++) {
		fd = open(which ? other : "/proc/self/mem", O_RDWR), say(fd >= 0);
		say(lseek(fd, (long)page, SEEK_SET) == (long)page), say(read(fd, text, 5)), printf(" %.5s", text), say(read(fd, text, 3)), printf(" %.3s", text), say(lseek(fd, -2, SEEK_CUR) == (long)page + 6), say(write(fd, "XY", 2)), say(lseek(fd, 0, SEEK_CUR) == (long)page + 8), printf(" %s", page), say(pread(fd, text, 4, (long)page + 5)), printf(" %.4s", text);
		say(lseek(fd, 0, SEEK_END)), say(lseek(fd, 5, SEEK_DATA)), say(lseek(fd, 5, 7)), say(pwrite(fd, "Z", 1, (long)page)), printf(" %c", *page), say(pread(fd, text, 1, 8)), say(pwrite(fd, text, 1, 8)), say(read(fd, text, 0)), say(read(fd, BAD, 1)), say(pread(fd, text, 0, 8)), say(ftruncate(fd, 1)), close(fd);
	}
	kill(child, SIGKILL), waitpid(child, &status, 0);
}

static void while_read(int fd)
{
	static char bytes[65536];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (read(fd, bytes, sizeof bytes) > 0)
		;
}

static void of_transfers(void)
{
	char bytes[64] = "0123456789abcdefghijklmnopqrstuvwxyz";
	struct iovec vector[2] = { { bytes, 5 }, { bytes + 5, 5 } };
	struct { uint64_t flags, mode, resolve, more; } how = { O_RDONLY };
	loff_t at = -1, to = 0;
	off_t small = -1;
	int fd = open("f", O_RDWR | O_TRUNC), other = open("g", O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2];

	printf("\ntransfers:");
	write(fd, bytes, 30);
	say(preadv2(fd, vector, 2, 0, 1 << 30)), say(preadv2(fd, vector, 0, 0, 1 << 30)), say(pwritev2(fd, vector, 2, 0, 1 << 30)), say(preadv2(fd, vector, 2, -1, 0)), say(lseek(fd, 0, SEEK_CUR)), say(preadv2(fd, vector, 2, -2, 0)), say(preadv2(900, vector, 2, 0, 1 << 30));
	say(sendfile(other, fd, &small, 5)), small = 3, say(sendfile(other, fd, &small, 5)), say(small), small = 40, say(sendfile(other, fd, &small, 5)), say(sendfile(other, fd, NULL, -1) < 0 ? -1 : 0), say(sendfile(fd, fd, &small, 0)), say(sendfile(other, fd, BAD, 1));
	say(copy_file_range(fd, &at, other, NULL, 5, 0)), say(copy_file_range(fd, &at, other, NULL, 0, 0)), at = 2, say(copy_file_range(fd, &at, other, &to, 5, 0)), say(at), say(to), to = -1, say(copy_file_range(fd, &at, other, &to, 5, 0)), say(copy_file_range(fd, NULL, fd, NULL, 5, 0)), at = 0, to = 20, say(copy_file_range(fd, &at, fd, &to, 20, 0)), say(copy_file_range(fd, &at, fd, &to, 21, 0)), say(copy_file_range(fd, NULL, other, NULL, 5, 1)), at = 100, say(copy_file_range(fd, &at, other, NULL, 5, 0));
	for (int size = 0; size <= 32; size += 8)
		say(syscall(SYS_openat2, AT_FDCWD, "f", &how, size) < 0 ? -1 : 0);
	how.resolve = 1 << 10, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 24)), how.resolve = 0, how.flags = 1ULL << 40, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 24)), how.flags = O_RDONLY, how.mode = 0600, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 24)), how.flags = O_RDWR | O_CREAT, how.mode = 010000, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 24)), how.mode = 0600, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 24) >= 0), how.more = 1, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 32)), how.more = 0, say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 32) >= 0), say(syscall(SYS_openat2, AT_FDCWD, "f", BAD, 24)), say(syscall(SYS_openat2, AT_FDCWD, BAD, &how, 24)), say(syscall(SYS_openat2, AT_FDCWD, "f", &how, 5000));
	pipe(ends);
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit old, limit;
	getrlimit(RLIMIT_FSIZE, &old), limit = old;
	off_t from = 0; /* what a pipe has no room for has not been read, and a place that is given is not the file's */
	fcntl(ends[1], F_SETFL, O_NONBLOCK), ftruncate(fd, 200000), lseek(fd, 4096, SEEK_SET), say(sendfile(ends[1], fd, &from, 200000)), say(from), say(lseek(fd, 0, SEEK_CUR)), say(sendfile(ends[1], fd, NULL, 200000)), while_read(ends[0]), say(sendfile(ends[1], fd, NULL, 200000)), say(lseek(fd, 0, SEEK_CUR)), while_read(ends[0]), lseek(fd, 0, SEEK_SET);
	limit.rlim_cur = 100, setrlimit(RLIMIT_FSIZE, &limit);
	say(ftruncate(fd, 100)), say(ftruncate(fd, 101)), say(truncate("f", 101)), say(truncate("f", 99)), say(pwrite(fd, bytes, 10, 95)), say(pwrite(fd, bytes, 1, 100)), say(pwrite(fd, bytes, 1, 99)), say(pwrite(fd, bytes, 0, 200)), say(lseek(fd, 0, SEEK_END)), say(write(fd, "x", 1)), say(posix_fallocate(fd, 0, 101)), say(write(ends[1], bytes, 50));
	setrlimit(RLIMIT_FSIZE, &old), close(fd), close(other);
}

/* Calls that the C library makes by newer ones: each returns what it should, and fails where it should. */
static void of_old_names(void)
{
#ifdef SYS_open
	long large[64];
	char text[64];
	int ends[2], fd, epoll;
	struct epoll_event event = { EPOLLIN };
	struct { long seconds, part; } times[2] = { { 5, 6 }, { 7, 8 } };

	printf("\nold names:");
	say((fd = syscall(SYS_open, "old", O_RDWR | O_CREAT, 0600)) >= 0), say(syscall(SYS_creat, "old", 0600) >= 0), say(syscall(SYS_open, "none", 0)), say(syscall(SYS_creat, ".", 0600));
#ifdef __x86_64__
	say(syscall(SYS_stat, "old", large)), say(syscall(SYS_lstat, "old", large)), say(syscall(SYS_fstat, fd, large)), say(syscall(SYS_stat, "none", large)), say(syscall(SYS_lstat, "none", large)), say(syscall(SYS_fstat, 900, large)), say(syscall(SYS_stat, "old", BAD)), say(syscall(SYS_lstat, "old", BAD)), say(syscall(SYS_fstat, fd, BAD));
#else
	say(syscall(195, "old", large)), say(syscall(196, "old", large)), say(syscall(197, fd, large)), say(syscall(195, "none", large)), say(syscall(196, "none", large)), say(syscall(197, 900, large)), say(syscall(195, "old", BAD)), say(syscall(196, "old", BAD)), say(syscall(197, fd, BAD));
	say(syscall(106, "old", large)), say(syscall(107, "old", large)), say(syscall(108, fd, large)), say(syscall(140, fd, 0, 5, large, SEEK_SET)), say(large[0]), say(syscall(198, "old", 0, 0)), say(syscall(207, fd, -1, -1)), say(syscall(212, "old", -1, -1)), say(syscall(299, AT_FDCWD, "old", times)), say(syscall(193, "old", 10, 0)), say(syscall(194, fd, 9, 0)), say(syscall(92, "old", 8)), say(syscall(93, fd, 7)), say(syscall(180, fd, text, 4, 2, 0)), say(syscall(181, fd, text, 4, 2, 0)), say(syscall(220, open(".", O_RDONLY), large, 256) > 0), say(syscall(250, fd, 0, 0, 0, 0)), say(syscall(272, fd, 0, 0, 0, 0, 4)), say(syscall(225, fd, 0, 0, 5)), say(syscall(324, fd, 0, 0, 0, 20, 0)), say(syscall(314, fd, 0, 0, 5, 0, 0)), say(syscall(221, fd, F_GETFL) & O_ACCMODE), say(syscall(239, fd, fd, NULL, 0) < 0 ? -1 : 0);
#endif
	say(syscall(SYS_access, "old", R_OK)), say(syscall(SYS_chmod, "old", 0640)), say(syscall(SYS_fchmod, fd, 0600)), say(syscall(SYS_chown, "old", -1, -1)), say(syscall(SYS_lchown, "old", -1, -1)), say(syscall(SYS_fchown, fd, -1, -1)), say(syscall(SYS_utime, "old", NULL)), say(syscall(SYS_utime, "old", &times[0])), say(syscall(SYS_utimes, "old", times)), say(syscall(SYS_futimesat, AT_FDCWD, "old", times)), times[0].part = 1000000, say(syscall(SYS_utimes, "old", times)), say(syscall(SYS_utimes, "none", NULL)), say(syscall(SYS_truncate, "old", 3)), say(syscall(SYS_ftruncate, fd, 2));
	say(syscall(SYS_link, "old", "new")), say(syscall(SYS_symlink, "old", "sign")), say(syscall(SYS_readlink, "sign", text, 64)), say(syscall(SYS_rename, "new", "newer")), say(syscall(SYS_unlink, "newer")), say(syscall(SYS_unlink, "sign")), say(syscall(SYS_mkdir, "folder", 0700)), say(syscall(SYS_rmdir, "folder")), say(syscall(SYS_mknod, "fifo", S_IFIFO | 0600, 0)), say(syscall(SYS_unlink, "fifo")), say(syscall(SYS_getdents, fd, large, 256));
	say(syscall(SYS_pipe, ends)), say(syscall(SYS_dup2, ends[0], 50)), say(syscall(SYS_dup, ends[1]) >= 0), say(syscall(SYS_poll, &(struct pollfd){ ends[1], POLLOUT }, 1, 0)), say((epoll = syscall(SYS_epoll_create, 1)) >= 0), say(syscall(SYS_epoll_create, 0)), say(syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], &event)), say(syscall(SYS_epoll_wait, epoll, &event, 1, 0)), write(ends[1], "x", 1), say(syscall(SYS_epoll_wait, epoll, &event, 1, -1)), say(syscall(SYS_eventfd, 3) >= 0), say(syscall(SYS_inotify_init) >= 0), say(syscall(SYS_signalfd, -1, &(uint64_t){ 1 }, 8) >= 0), say(syscall(SYS_getpgrp) == getpgrp()), say(syscall(SYS_alarm, 0)), say(syscall(SYS_fsync, fd)), say(syscall(SYS_fdatasync, fd)), say(syscall(SYS_flock, fd, 6)), say(syscall(SYS_sync)), say(syscall(SYS_umask, 022)), close(50), close(epoll), close(fd), say(syscall(SYS_unlink, "old"));
#endif
}

static void of_devices(void)
{
	static const char *const names[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/tty", "/dev/ptmx" };
	struct stat status;
	struct statx more;

	printf("\ndevices:");
	for (int i = 0; i < 6; i++)
		say(stat(names[i], &status)), say(status.st_rdev), say(status.st_size), say(status.st_mode & S_IFMT), say(syscall(SYS_statx, AT_FDCWD, names[i], 0, 0x7ff, &more)), say(more.stx_rdev_major), say(more.stx_rdev_minor);
#ifdef __i386__
	unsigned old[16] = { 0 };
	say(syscall(106, "/dev/null", old)), say(old[5] & 0xffff), say(syscall(106, "f", old) == 0 || errno == EOVERFLOW ? 0 : -1);
#endif
}

static void of_signals(void)
{
	printf("\nsignals:");
#ifdef SYS_select
	fd_set set;
	struct timeval none = { 0, 0 };
	int ends[2];
	pipe(ends), write(ends[1], "x", 1);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	long arguments[5] = { ends[0] + 1, (long)&set, 0, 0, (long)&none };
#ifdef __i386__
	say(syscall(SYS_select, arguments)), say(FD_ISSET(ends[0], &set)), arguments[0] = -1, say(syscall(SYS_select, arguments)), say(syscall(SYS_select, BAD));
#endif
	say(syscall(sizeof(long) == 8 ? SYS_select : 142, -1, &set, 0, 0, &none)), none.tv_usec = -1, say(syscall(sizeof(long) == 8 ? SYS_select : 142, 1, &set, 0, 0, &none)), say(syscall(sizeof(long) == 8 ? SYS_select : 142, 1, BAD, 0, 0, &none));
#endif
}

static void caught(int number)
{
	printf(" caught %d", number);
}

#ifdef __i386__
/* The calls with times of 64 bits, which the C library makes only for programs with such a time_t. */
static void of_wide_times(void)
{
	struct wide { int64_t seconds; int32_t part, padding; } times[] = { { 0, 0 }, { 0, 1000000 }, { 0, 999999999 }, { 0, 1000000000 }, { -1, 0 }, { 0, -1 }, { 0, 1000, -1 }, { 1LL << 33, 5 } }, twice[2], found[2];
	struct stat status;
	int semaphores = semget(IPC_PRIVATE, 1, 0600), word = 0, ends[2], timer, fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct sembuf down = { 0, -1, 0 };
	struct pollfd one;
	timer_t made;

	pipe(ends), one = (struct pollfd){ ends[0], POLLIN };
	timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_signo = SIGUSR1 }, &made);
	for (int i = 0; i < 8; i++) {
		int brief = i < 2 || i == 3 || i == 4 || i == 5 || i == 6;
		printf("\ntime %d:", i);
		say(brief ? syscall(414, &one, 1, times + i, NULL, 8) : 0), say(brief ? syscall(413, 0, NULL, NULL, NULL, times + i, NULL) : 0), say(brief ? syscall(422, &word, 0, 0, times + i, NULL, 0) : 0), say(brief ? syscall(420, semaphores, &down, 1, times + i) : 0), say(brief ? syscall(407, CLOCK_MONOTONIC, 0, times + i, NULL) : 0);
		twice[0] = times[i], twice[1] = times[i ? i - 1 : 1];
		say(syscall(412, AT_FDCWD, "f", twice, 0)), stat("f", &status), say(i > 5 ? 0 : status.st_atim.tv_nsec), say(i > 5 ? 0 : status.st_mtim.tv_nsec);
		say(syscall(411, fd, 0, twice, NULL)), say(syscall(410, fd, found)), say(found[0].seconds), say(found[0].part), say(found[1].seconds > 0 || found[1].part > 0);
		say(syscall(409, made, 0, twice, NULL)), say(syscall(408, made, found)), say(found[0].seconds), say(found[0].part), say(found[1].seconds > 0 || found[1].part > 0), say(syscall(409, made, 0, twice, found)), say(found[0].part);
	}
	say(syscall(403, CLOCK_MONOTONIC, found)), say(found[0].part >= 0 && found[0].part < 1000000000), say(syscall(403, 77, found)), say(syscall(403, CLOCK_MONOTONIC, BAD)), say(syscall(406, CLOCK_MONOTONIC, found)), say(found[0].seconds), say(found[0].part), say(syscall(406, CLOCK_MONOTONIC, NULL));
	say(syscall(412, AT_FDCWD, "f", NULL, 0)), say(syscall(412, AT_FDCWD, "f", BAD, 0)), say(syscall(414, &one, 1, BAD, NULL, 8)), say(syscall(422, &word, 0, 1, NULL, NULL, 0)), say(syscall(411, fd, 0, BAD, NULL)), say(syscall(410, fd, BAD)), say(syscall(409, made, 0, NULL, NULL)), say(syscall(408, made, BAD));
	semctl(semaphores, 0, IPC_RMID), close(fd);
}
#endif

static void of_old_forms(void)
{
#ifdef __i386__
	uint32_t words[6] = { 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	int status;
	pid_t child;
	unsigned short groups[4] = { 5, 6, 7, 8 };
	struct { uint32_t soft, hard; } limit;

	printf("\nold forms:");
	for (int i = 0; i < 4; i++) {
		int fd = open("/proc/self/exe", O_RDONLY);
		words[0] = i == 2 ? 0x50000000 : 0, words[3] = i == 2 ? 0x32 : i ? MAP_PRIVATE : 0x22, words[4] = i == 1 || i == 3 ? fd : -1, words[5] = i == 1 ? 4096 : i == 3 ? 100 : 0;
		char *made = (char *)syscall(90, words);
		say((long)made > -4096L && (long)made < 0 ? -1 : 0);
		if ((unsigned long)made < -4096UL)
			say(i == 2 ? made == (char *)0x50000000 : 1), say(*made == 0x7f), say(mprotect(made + 4096, 4096, PROT_READ)), munmap(made, 8192);
		close(fd);
	}
	say(syscall(90, BAD));
	if (!(child = fork()))
		_exit(3);
	say(syscall(7, child, &status, 0) == child), say(status), say(syscall(7, child, &status, 0)), say(syscall(7, -1, BAD, WNOHANG));
	signal(SIGUSR1, caught), sigprocmask(SIG_BLOCK, &(sigset_t){ { 1 << (SIGUSR1 - 1) } }, NULL), raise(SIGUSR1), say(syscall(72, 0, 0, 0));
	say(syscall(81, 4, groups)), memset(groups, 0, 8), say(syscall(80, 0, NULL)), say(syscall(80, 4, groups)), say(groups[0]), say(groups[3]), say(syscall(80, 3, groups)), say(syscall(81, -1, groups)), say(syscall(81, 2, BAD)), say(syscall(81, 70000, groups)), say(syscall(81, 0, NULL)), say(syscall(80, 4, groups));
	say(syscall(76, RLIMIT_CORE, &limit)), limit.soft = 0, say(syscall(75, RLIMIT_CORE, &limit)), say(syscall(76, RLIMIT_CORE, &limit)), say(limit.soft), say(syscall(75, RLIMIT_CORE, BAD)), say(syscall(75, 77, &limit)), say(syscall(76, RLIMIT_CORE, BAD)), say(syscall(191, RLIMIT_CORE, &limit)), say(limit.soft), limit.soft = 1, limit.hard = 0, say(syscall(75, RLIMIT_CORE, &limit));
	say(syscall(2) ? 0 : (_exit(0), 0)), say(syscall(34, 19));
	struct { void (*handler)(int); uint32_t mask, flags; void *restorer; } action = { caught, 1 << (SIGTERM - 1), SA_RESTART | SA_NODEFER }, before = { 0 };
	say(syscall(67, SIGUSR2, &action, NULL)), say(syscall(67, SIGUSR2, NULL, &before)), say(before.handler == caught), say(before.mask), say(before.flags & 0x50000000), action.handler = SIG_IGN, say(syscall(67, SIGUSR2, &action, &before)), say(before.handler == caught), say(syscall(67, SIGUSR2, NULL, &before)), say(before.handler == SIG_IGN);
	say(syscall(67, 65, &action, NULL)), say(syscall(67, 0, &action, NULL)), say(syscall(67, SIGKILL, &action, NULL)), say(syscall(67, SIGUSR1, BAD, NULL)), say(syscall(67, SIGUSR1, NULL, BAD));
	of_wide_times();
#endif
	printf("\nforms of 64 bits:");
#ifdef __x86_64__
	long base[2] = { 0 };
	say(syscall(SYS_arch_prctl, 0x1001, 0x123456789abL)), say(syscall(SYS_arch_prctl, 0x1004, base)), say(base[0] == 0x123456789abL), say(base[1]), say(syscall(SYS_arch_prctl, 0x1003, base)), say(base[0] == (long)__builtin_thread_pointer()), say(syscall(SYS_arch_prctl, 0x1001, 0));
	say(syscall(SYS_arch_prctl, 0x1002, -1L)), say(syscall(SYS_arch_prctl, 0x1001, 1L << 47)), say(syscall(SYS_arch_prctl, 0x1003, BAD)), say(syscall(SYS_arch_prctl, 77, 0)), say(syscall(SYS_fork) ? 0 : (_exit(0), 0));
#endif
}

static void of_spaces(void)
{
	char *page = mmap(NULL, 16384, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *now = (char *)syscall(SYS_brk, 0);

	munmap(page + 8192, 8192);
	printf("\nspaces:");
	say(mprotect((void *)-4096L, 4096, PROT_READ)), say(mprotect(page, -4096L, PROT_READ)), say(mprotect(page + 1, 5, PROT_READ)), say(mprotect(page, 0, PROT_READ)), say(mprotect(page, 4096, 0x1000));
	say((char *)syscall(SYS_brk, BAD) == now), say((char *)syscall(SYS_brk, -1L) == now), say((char *)syscall(SYS_brk, now + 5) == now + 5), say((char *)syscall(SYS_brk, now) == now);
	say(munmap(page + 1, 1)), say(munmap(page, 0)), say(munmap((void *)-8192L, 4096)), say(madvise(page, 4096, 77)), say(madvise(page + 1, 4096, 0)), say(madvise((void *)-8192L, 4096, 0)), say(msync(page, 4096, 5)), say(msync(page, 4096, 8)), say(msync(page + 1, 4096, MS_ASYNC)), say(msync((void *)8192, 4096, MS_ASYNC)), say(mlock((void *)8192, 1)), say(munlock((void *)8192, 1));
}

static void of_execution(void)
{
	static char big[140000];
	char *words[] = { "x", big, NULL }, *none[] = { NULL };
	struct { uint64_t flags, pidfd, child, parent, exit_signal, stack, stack_size, tls; } arguments = { 0x100000000ULL };
	struct sigaction action;
	pid_t child;
	int status;

	memset(big, 'x', sizeof big - 1);
	printf("\nexecution:");
	say(execve("/bin/true", words, none)), say(execve("/bin/true", none, words)), words[1] = BAD, say(execve("/bin/true", words, none)), say(execve("/bin/true", BAD, none)), say(execve("f", none, none)), say(execve(".", none, none)), say(execve("f/x", none, none)), say(execve("nothing", none, none));
	signal(SIGUSR2, caught), signal(SIGUSR1, SIG_IGN), arguments.exit_signal = SIGCHLD;
	fflush(stdout);
	if (!(child = syscall(SYS_clone3, &arguments, sizeof arguments))) {
		sigaction(SIGUSR2, NULL, &action), say(action.sa_handler == SIG_DFL), sigaction(SIGUSR1, NULL, &action), say(action.sa_handler == SIG_IGN);
		fflush(stdout), _exit(0);
	}
	waitpid(child, &status, 0), sigaction(SIGUSR2, NULL, &action), say(action.sa_handler == caught);
	arguments.flags |= 0x800, say(syscall(SYS_clone3, &arguments, sizeof arguments)), arguments.flags = 1ULL << 40, say(syscall(SYS_clone3, &arguments, sizeof arguments)), arguments.flags = 0, arguments.exit_signal = 65, say(syscall(SYS_clone3, &arguments, sizeof arguments)), arguments.exit_signal = SIGCHLD, arguments.stack = 4096, say(syscall(SYS_clone3, &arguments, sizeof arguments)), arguments.stack = 0, arguments.stack_size = 4096, say(syscall(SYS_clone3, &arguments, sizeof arguments)), say(syscall(SYS_clone3, &arguments, 63)), say(syscall(SYS_clone3, &arguments, 5000)), say(syscall(SYS_clone3, BAD, 64));
}

/* An interval without a first time, and what is left of timers that are set, stopped and set anew. */
static void of_timers(void)
{
	static const long pairs[][2] = { { 0, 5 }, { 100, 7 }, { 0, 9 }, { 0, 0 }, { 50, 0 } };
	static const int kinds[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
	struct itimerspec set, old, now;
	struct itimerval wanted, before, found;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timer_t timer;

	printf("\ntimers:"), say(timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_signo = SIGUSR1 }, &timer));
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		set = (struct itimerspec){ { pairs[i][1], 0 }, { pairs[i][0], 0 } };
		say(timer_settime(timer, 0, &set, &old)), say(timer_gettime(timer, &now));
		printf(" %ld/%ld/%d %ld/%d", (long)old.it_interval.tv_sec, (long)now.it_interval.tv_sec, (int)(now.it_value.tv_sec + 5) / 10, (long)old.it_value.tv_sec / 10 * 10, now.it_value.tv_nsec != 0);
		say(timerfd_settime(fd, 0, &set, &old)), say(timerfd_gettime(fd, &now));
		printf(" %ld/%ld/%d", (long)old.it_interval.tv_sec, (long)now.it_interval.tv_sec, (int)(now.it_value.tv_sec + 5) / 10);
		for (unsigned kind = 0; kind < 3; kind++) {
			wanted = (struct itimerval){ { pairs[i][1], 0 }, { pairs[i][0], 0 } };
			say(setitimer(kinds[kind], &wanted, &before)), say(getitimer(kinds[kind], &found));
			printf(" %ld/%ld/%d", (long)before.it_interval.tv_sec, (long)found.it_interval.tv_sec, (int)(found.it_value.tv_sec + 5) / 10);
		}
	}
	for (unsigned kind = 0; kind < 3; kind++)
		setitimer(kinds[kind], &(struct itimerval){ 0 }, NULL);
	timer_delete(timer), close(fd);
}

/* A lock that is to become another kind is released first: who fails has none. */
static void of_locks(void)
{
	int one = open("f", O_RDWR), two = open("f", O_RDWR), three = open("f", O_RDWR);

	printf("\nlocks:"), say(flock(one, LOCK_SH)), say(flock(two, LOCK_SH)), say(flock(three, LOCK_EX | LOCK_NB)), say(flock(one, LOCK_EX | LOCK_NB)), say(flock(two, LOCK_EX | LOCK_NB)), say(flock(one, LOCK_SH | LOCK_NB)), say(flock(two, LOCK_SH | LOCK_NB)), say(flock(one, LOCK_SH | LOCK_NB)), say(flock(three, LOCK_EX | LOCK_NB)), say(flock(one, LOCK_UN)), say(flock(two, LOCK_UN)), say(flock(three, LOCK_EX | LOCK_NB));
	close(one), close(two), close(three);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	umask(022), setpgid(0, 0);
	close(open("f", O_CREAT | O_RDWR, 0600));
	of_owners();
	of_gone_directories();
	of_roots();
	of_descriptors();
	of_proc();
	of_transfers();
	of_old_names();
	of_devices();
	of_signals();
	of_old_forms();
	of_spaces();
	of_timers();
	of_locks();
	of_execution();
	putchar('\n');
	return 0;
}
