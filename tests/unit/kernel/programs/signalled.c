/* Files that tell their owner by a signal that they are ready: counts, codes and bands. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int late;
static volatile int plain, last_code, last_band, last_fd, counted;

static void on_plain(int signal, siginfo_t *info, void *context)
{
	plain++;
	last_code = info->si_code;
}

static void on_chosen(int signal, siginfo_t *info, void *context)
{
	counted++;
	last_code = info->si_code, last_band = (int)info->si_band, last_fd = info->si_fd;
}

static void told(const char *what)
{
	if (late)  /* a terminal's other side gets it some time later */
		usleep(20000), usleep(20000);
	printf("%s: %d %d, code %d, band %x, fd %d\n", what, plain, counted, last_code, last_band, last_fd);
	plain = counted = last_code = last_band = last_fd = 0;
}

static void both(const char *name, int reader, int writer)
{
	char bytes[100000];

	printf("-- %s\n", name);
	fcntl(reader, F_SETFL, O_ASYNC | O_NONBLOCK), fcntl(writer, F_SETFL, O_NONBLOCK);
	(void)!write(writer, "a", 1), told("without an owner");
	(void)!read(reader, bytes, 1);
	printf("owner %d\n", fcntl(reader, F_SETOWN, getpid()));
	(void)!write(writer, "a", 1), told("input");
	(void)!write(writer, "b", 1), told("more input");
	(void)!read(reader, bytes, 9), told("read");
	(void)!write(writer, "c", 1), told("input again");
	fcntl(reader, F_SETSIG, SIGRTMIN + 1);
	(void)!read(reader, bytes, 9);
	(void)!write(writer, "d", 1), told("by a chosen signal");
	fcntl(reader, F_SETFL, O_NONBLOCK);
	(void)!write(writer, "e", 1), told("no longer");
	int on = 1, off = 0;
	printf("ioctl %d, ", ioctl(reader, FIOASYNC, &on)), printf("flags %d, ", !!(fcntl(reader, F_GETFL) & O_ASYNC));
	(void)!write(writer, "f", 1), told("by ioctl");
	printf("ioctl %d, flags %d\n", ioctl(reader, FIOASYNC, &off), !!(fcntl(reader, F_GETFL) & O_ASYNC));
	(void)!read(reader, bytes, 9);
}

/* the signal that there is room again comes to who has found none */
static void room(int reader, int writer)
{
	char bytes[1024] = { 0 };

	fcntl(reader, F_SETFL, O_NONBLOCK), fcntl(writer, F_SETFL, O_ASYNC | O_NONBLOCK);
	fcntl(writer, F_SETOWN, getpid()), fcntl(writer, F_SETSIG, SIGRTMIN + 1);
	(void)!write(writer, "a", 1), (void)!read(reader, bytes, 9), told("room as before");
	for (int again = 0; again < 2; again++) {
		while (write(writer, bytes, sizeof bytes) > 0);
		told("full"), (void)!read(reader, bytes, 700), told("less");
		while (read(reader, bytes, sizeof bytes) > 0);
		told("emptied");
	}
	close(reader), close(writer);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_plain, .sa_flags = SA_SIGINFO };
	int ends[2], file = open("/dev/null", O_RDWR);
	char bytes[4096] = { 0 };

	setpgid(0, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	sigaction(SIGIO, &action, NULL);
	action.sa_sigaction = on_chosen, sigaction(SIGRTMIN + 1, &action, NULL);
	(void)!pipe(ends), both("pipe", ends[0], ends[1]);
	fcntl(ends[1], F_SETOWN, getpid()), fcntl(ends[1], F_SETSIG, SIGRTMIN + 1);
	fcntl(ends[1], F_SETFL, O_ASYNC | O_NONBLOCK);
	while (write(ends[1], bytes, sizeof bytes) > 0);
	counted = 0;
	(void)!read(ends[0], bytes, sizeof bytes), told("room in the pipe");
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK), fcntl(ends[0], F_SETSIG, 0);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (read(ends[0], bytes, sizeof bytes) > 0);
	told("emptied"), close(ends[1]), told("end of the pipe"), close(ends[0]);
	(void)!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), both("sockets", ends[0], ends[1]);
	fcntl(ends[0], F_SETSIG, 0), fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	if (!fork()) {  /* another process writes */
		(void)!write(ends[1], "x", 1);
		_exit(0);
	}
	wait(NULL), told("by a child");
	(void)!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), both("datagrams", ends[0], ends[1]);
	for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++)
		if (socketpair(AF_UNIX, type, 0, ends) == 0)
			room(ends[0], ends[1]);
	struct sockaddr_in place = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof place;
	int one = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);
	bind(one, (void *)&place, size), getsockname(one, (void *)&place, &size), connect(other, (void *)&place, size);
	both("inet", one, other);
	one = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0), place.sin_port = 0;
	bind(one, (void *)&place, size), getsockname(one, (void *)&place, &size), listen(one, 5);
	fcntl(one, F_SETOWN, getpid()), fcntl(one, F_SETFL, O_ASYNC);
	sigset_t set;
	sigemptyset(&set), sigaddset(&set, SIGIO), sigprocmask(SIG_BLOCK, &set, NULL);
	printf("connected %d, ", connect(other, (void *)&place, size)), sigprocmask(SIG_UNBLOCK, &set, NULL);
	told("listener");
	late = 1, one = posix_openpt(O_RDWR | O_NOCTTY), grantpt(one), unlockpt(one);
	int slave = open(ptsname(one), O_RDWR | O_NOCTTY);
	fcntl(slave, F_SETOWN, -getpgrp()), fcntl(slave, F_SETFL, O_ASYNC);
	plain = 0, (void)!write(one, "half a line", 11), told("half a line");
	(void)!write(one, "\n", 1), told("a line"), (void)!read(slave, bytes, 99), told("read");
	struct f_owner_ex thread = { F_OWNER_TID, getpid() };
	printf("by thread %d, ", fcntl(slave, F_SETOWN_EX, &thread));
	(void)!write(one, "more\n", 5), told("another line");
	fcntl(slave, F_SETFL, 0), fcntl(one, F_SETOWN, getpid()), fcntl(one, F_SETFL, O_ASYNC);
	(void)!write(slave, "out", 3), told("output"), (void)!read(one, bytes, 99), told("output read");
	(void)!write(slave, "o", 1), told("more output");
	printf("%d %d\n", fcntl(file, F_SETFL, O_ASYNC), fcntl(file, F_SETSIG, 65));
	return 0;
}
