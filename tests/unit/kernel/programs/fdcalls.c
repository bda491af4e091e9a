/* Calls that take a descriptor, on every kind of it: files, pipes, sockets, events, timers, devices, terminals, none. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include "say.h"

static const char *const kinds[] = { "file", "read only", "write only", "append", "directory", "read end", "write end", "fifo",
    "stream", "datagram", "epoll", "event", "semaphore", "timer", "signals", "inotify", "memory", "null", "zero", "full", "path",
    "master", "slave", "none", "negative" };
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static int others[4], master;

static int of(int kind)
{
	sigset_t set;
	int ends[2];

	for (int i = 0; i < 4; i++)
		close(others[i]), others[i] = -1;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	static char hundred[100];
	int made = open("file", O_CREAT | O_TRUNC | O_WRONLY, 0644);
	write(made, hundred, sizeof hundred);
	close(made);
	switch (kind) {
	case 0: return open("file", O_RDWR | O_NONBLOCK);
	case 1: return open("file", O_RDONLY);
	case 2: return open("file", O_WRONLY);
	case 3: return open("file", O_RDWR | O_APPEND);
	case 4: return open(".", O_RDONLY);
	case 5: case 6:
		pipe2(ends, O_NONBLOCK);
		write(ends[1], "in the pipe", 11);
		others[0] = ends[kind == 5];
		return ends[kind == 6];
	case 7: return open("fifo", O_RDWR | O_NONBLOCK);
	case 8: case 9:
		socketpair(AF_UNIX, (kind == 8 ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK, 0, ends);
		write(ends[1], "by socket", 9);
		others[0] = ends[1];
		return ends[0];
	case 10: return epoll_create1(0);
	case 11: return eventfd(5, EFD_NONBLOCK);
	case 12: return eventfd(3, EFD_NONBLOCK | EFD_SEMAPHORE);
	case 13: return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	case 14: return signalfd(-1, &set, SFD_NONBLOCK);
	case 15: return inotify_init1(IN_NONBLOCK);
	case 16: return memfd_create("memory", MFD_ALLOW_SEALING);
	case 17: return open("/dev/null", O_RDWR);
	case 18: return open("/dev/zero", O_RDWR);
	case 19: return open("/dev/full", O_RDWR);
	case 20: return open("file", O_PATH);
	case 21: return open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);
	case 22:
		others[0] = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);
		grantpt(others[0]);
		unlockpt(others[0]);
		return open(ptsname(others[0]), O_RDWR | O_NOCTTY | O_NONBLOCK);
	case 23: return dup2(0, 900), close(900), 900;
	}
	return -1;
}

static void moving(int kind)
{
	char bytes[200] = "12345678abcdefgh";
	struct iovec vector[3] = { { bytes, 3 }, { bytes + 10, 0 }, { bytes + 20, 5 } };
	static const int sizes[] = { 0, 1, 4, 7, 8, 9, 100 };
	int fd = of(kind);

	printf("reads:");
	for (int i = 0; i < 7; i++)
		say(read(fd, bytes, sizes[i]));
	say(read(fd, NULL, 0)), say(read(fd, (void *)8, 8));
	fd = close(fd), fd = of(kind);
	printf(" writes:");
	for (int i = 0; i < 7; i++)
		say(write(fd, bytes, sizes[i]));
	say(write(fd, NULL, 0)), say(kind > 16 && kind < 20 ? 0 : write(fd, (void *)8, 8));
	say(write(fd, (uint64_t[]){ -1 }, 8));
	say(write(fd, (uint64_t[]){ -2 }, 8));
	say(write(fd, (uint64_t[]){ 0 }, 8));
	say(kind == 21 ? 0 : read(fd, bytes, 8));
	close(fd), fd = of(kind);
	printf("\n at:");
	say(pread(fd, bytes, 8, 2)), say(pread(fd, bytes, 0, 2)), say(pread(fd, bytes, 8, -1)), say(pread(fd, bytes, 8, 1000));
	say(pwrite(fd, bytes, 8, 2)), say(pwrite(fd, bytes, 0, 2)), say(pwrite(fd, bytes, 8, -1)), say(pwrite(fd, bytes, 8, 200));
	say(lseek(fd, 0, SEEK_CUR));
	printf(" vectors:");
	for (int count = -1; count < (kind == 21 ? 1 : kind > 9 && kind < 16 ? 3 : 4); count++)
		say(readv(fd, vector, count)), say(writev(fd, vector, count));
	if (kind < 10 || kind > 15)
		say(readv(fd, (void *)8, 1)), say(writev(fd, (void *)8, 1)), say(readv(fd, vector, 1025));
	say(preadv(fd, vector, 3, 1)), say(pwritev(fd, vector, 3, 1)), say(preadv(fd, vector, 3, -5));
	for (int flags = 1; flags < 32; flags *= 2)
		if (flags != 8 && kind != 4)
			say(kind > 7 && kind != 16 ? 0 : preadv2(fd, vector, 1, 0, flags)), say(kind > 7 && kind != 16 ? 0 : pwritev2(fd, vector, 1, 0, flags));
	close(fd), fd = of(kind);
	printf("\n seeks:");
	for (int whence = -1; whence < 6; whence++)
		for (int offset = -1; offset < 200; offset += 67)
			say(kind == 4 && whence > 1 ? 0 : lseek(fd, offset, whence));
	close(fd), fd = of(kind);
	printf("\n sizes:");
	say(ftruncate(fd, 50)), say(ftruncate(fd, -1)), say(ftruncate(fd, 150));
	for (int mode = 0; mode < 4; mode++)
		say(fallocate(fd, mode, 10, 500)), say(fallocate(fd, mode, -1, 5)), say(fallocate(fd, mode, 5, 0));
	say(kind == 4 ? 0 : lseek(fd, 0, SEEK_END));
	for (int advice = -1; advice < 7; advice++)
		say(posix_fadvise(fd, 0, 0, advice));
	say(readahead(fd, 0, 10)), say(fsync(fd)), say(fdatasync(fd)), say(syncfs(fd)), say(kind >= 5 && kind < 20 ? 0 : flistxattr(fd, NULL, 0));
	for (int flags = 0; flags < 16; flags += 3)
		say(sync_file_range(fd, 0, 10, flags));
	putchar('\n');
	close(fd);
}

static void describing(int kind)
{
	static const unsigned requests[] = { FIONREAD, FIONBIO, FIOASYNC, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, TIOCGPGRP,
	    TIOCGSID, TIOCGPTN, 0, 0x12345678 };
	struct stat status;
	struct statfs system;
	char text[200];
	int fd = of(kind);

	printf(" told:");
	say(fstat(fd, &status));
	if (fd >= 0 && fd != 900)
		printf(" %o %d", kind == 21 || kind == 22 ? status.st_mode & S_IFMT : status.st_mode, (int)status.st_nlink * !S_ISDIR(status.st_mode) * (kind < 17));
	say(fstatfs(fd, &system)), say(fchdir(kind == 4 ? -1 : fd)), say(syscall(SYS_getdents64, fd, text, 5));
	say(kind == 4 ? 0 : syscall(SYS_getdents64, fd, text, sizeof text));
	say(kind > 9 ? 0 : fchmod(fd, 0600)), say(kind > 9 ? 0 : fchown(fd, -1, -1));
	say(kind > 9 ? 0 : futimens(fd, NULL));
	for (unsigned i = 0; i < sizeof requests / sizeof requests[0] && kind != 10; i++) {
		int value[20] = { i == 1 };
		int result = kind == 21 && (requests[i] == TIOCGSID || requests[i] == TIOCGPGRP) ? 0 : ioctl(fd, requests[i], value);

		say(result);
		if (!result && i == 0)
			printf("=%d", value[0]);
	}
	close(fd), fd = of(kind);
	printf("\n commands:");
	for (int command = 0; command < 10; command++)
			for (int argument = 0; argument < 3; argument++) {
				int result = command == F_GETLK || command == F_SETLK || command == F_SETLKW
				    ? 0 : fcntl(fd, command, command == F_SETOWN ? 0 : argument == 2 ? 800 : argument);
				say(command <= F_DUPFD && result >= 0 ? 5 : result);
				if (command == F_DUPFD && result > 2)
					close(result);
			}
	say(close(fcntl(fd, F_DUPFD_CLOEXEC, 700))), say(fcntl(fd, F_GETPIPE_SZ, 0)), say(fcntl(fd, 12345, 0));
	for (int operation = 0; operation < 16; operation++)
		say(kind > 16 ? 0 : flock(fd, operation));
	struct flock lock = { .l_type = F_RDLCK, .l_whence = 3 };
	for (int whence = -1; whence < 4; whence++)
		for (int type = 0; type < 4; type++) {
			lock = (struct flock){ .l_type = type, .l_whence = whence, .l_start = 10, .l_len = whence < 2 ? 5 : -5 };
			say(kind > 16 ? 0 : fcntl(fd, F_SETLK, &lock));
			lock = (struct flock){ .l_type = type, .l_whence = whence, .l_start = whence == 1 ? -1 : 10, .l_len = whence < 2 ? 5 : -15 };
			say(kind > 16 ? 0 : fcntl(fd, F_GETLK, &lock));
		}
	putchar('\n');
	close(fd);
}

static void joining(int kind)
{
	int fd = of(kind), in, out, ends[2], full[2];
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP };
	int epoll = epoll_create1(0);
	struct pollfd waiting = { fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP | POLLRDNORM | POLLWRNORM | POLLRDBAND | POLLWRBAND };
	off_t offset = 3;
	long long from = 0, to = 0;

	say(poll(&waiting, 1, 0)), printf(" %x", waiting.revents);
	for (int operation = 0; operation < 5; operation++)
		say(epoll_ctl(epoll, operation, fd, &event));
	say(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)), say(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	say(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, (void *)8));
	int found = epoll_wait(epoll, &event, 1, 0);
	say(found), printf(" %x", found > 0 ? event.events : 0);
	say(epoll_ctl(fd, EPOLL_CTL_ADD, 0, &event)), say(epoll_wait(fd, &event, 1, 0)), say(epoll_wait(epoll, &event, 0, 0));
	printf("\n joined:");
	in = open("other", O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(in, "0123456789abcdefghij", 20);
	out = open("copied", O_RDWR | O_CREAT | O_TRUNC, 0600);
	pipe2(ends, O_NONBLOCK), pipe2(full, O_NONBLOCK);
	write(full[1], "in another pipe", 15);
	lseek(in, 0, SEEK_SET);
	for (int way = 0; way < 4 && kind != 17 && kind != 19; way++)
		say(sendfile(way < 2 ? fd : out, way < 2 ? in : fd, way % 2 ? &offset : NULL, 5));
	say(sendfile(fd, ends[0], NULL, 5)), say(kind > 6 && kind != 16 ? 0 : sendfile(ends[1], fd, NULL, 3));
	for (int way = 0; way < 3 && kind != 16 && kind < 21 && kind != 4; way++)
		say(way == 0 ? copy_file_range(in, NULL, fd, NULL, 3, 0) : way == 1 ? copy_file_range(fd, NULL, out, NULL, 3, 0) : copy_file_range(in, &from, fd, &to, 3, 0));
	say(copy_file_range(in, &from, fd, &to, 3, 1));
	say(kind > 8 && kind != 16 || kind == 4 ? 0 : splice(fd, NULL, ends[1], NULL, 4, SPLICE_F_NONBLOCK)), say(kind > 16 ? 0 : splice(full[0], NULL, fd, NULL, 4, SPLICE_F_NONBLOCK));
	from = 2;
	say(kind == 4 || kind == 17 || kind == 19 ? 0 : splice(fd, &from, ends[1], NULL, 4, SPLICE_F_NONBLOCK)), say(kind == 19 ? 0 : splice(full[0], NULL, fd, &from, 4, SPLICE_F_NONBLOCK));
	say(tee(fd, ends[1], 3, SPLICE_F_NONBLOCK)), say(tee(full[0], fd, 3, SPLICE_F_NONBLOCK));
	say(kind == 5 ? 0 : vmsplice(fd, &(struct iovec){ "bytes", 5 }, 1, SPLICE_F_NONBLOCK));
	void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	say(at == MAP_FAILED ? -1 : 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	say(at == MAP_FAILED ? -1 : 0);
	if (kind < 23) {
		say(dup2(fd, fd) == fd), say(dup3(fd, fd, 0)), say(dup2(fd, 700)), say(dup3(fd, 701, O_CLOEXEC)), say(fcntl(701, F_GETFD));
		say(dup3(fd, 701, 1)), say(dup2(fd, -1)), say(close(700)), say(close(701));
	} else
		say(dup2(fd, fd)), say(dup2(fd, 700)), say(dup(fd)), say(close(fd));
	say(timerfd_settime(fd, 0, &(struct itimerspec){ { 0, 0 }, { 100, 0 } }, NULL));
	say(timerfd_settime(fd, 0, &(struct itimerspec){ { 0, 0 }, { 0, 1000000000 } }, NULL));
	say(timerfd_settime(fd, 8, &(struct itimerspec){ { 0, 0 }, { 0, 0 } }, NULL));
	say(sizeof(long) == 4 ? 0 : timerfd_gettime(fd, (void *)8)), /* a library's own fault */
	say(timerfd_gettime(fd, &(struct itimerspec){ 0 }));
	say(inotify_add_watch(fd, ".", IN_CREATE)), say(inotify_rm_watch(fd, 7));
	say(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
	say(accept(fd, NULL, NULL)), say(listen(fd, 1)), say(shutdown(fd, 2)), say(recv(fd, &event, 1, MSG_DONTWAIT));
	say(close(fd)), say(close(fd));
	putchar('\n');
	close(in), close(out), close(ends[0]), close(ends[1]), close(full[0]), close(full[1]), close(epoll);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	signal(SIGPIPE, SIG_IGN);
	mkfifo("fifo", 0600);
	for (int kind = 0; kind < KINDS; kind++) {
		printf("%s ", kinds[kind]);
		moving(kind);
		describing(kind);
		printf(" ready:");
		joining(kind);
	}
	unlink("fifo"), unlink("file"), unlink("other"), unlink("copied");
	return 0;
}
