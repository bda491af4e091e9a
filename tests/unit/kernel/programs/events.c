/* epoll over pipes, event counters, timers and signals; poll and select. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int epoll;

static void watch(int fd, uint32_t events, uint32_t tag)
{
	struct epoll_event event = { events, { .u32 = tag } };
	printf("watch %u: %d\n", tag, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

static void show(const char *when, int timeout)
{
	struct epoll_event events[8];
	int count = epoll_wait(epoll, events, 8, timeout);

	printf("%s: %d", when, count);
	for (int i = 0; i < count; i++)
		printf(" %u=%#x", events[i].data.u32, events[i].events);
	putchar('\n');
}

static void told(const char *what, long result)
{
	printf("%s %ld %s, ", what, result, result < 0 ? strerror(errno) : "");
}

/* What counters take and give; a host before Linux 6.10 takes the first of more than 8 bytes. */
static void counters(void)
{
	static const uint64_t values[] = { 0, 1, -1, -2, -4, -5, -6, 7 };

	for (int kind = 0; kind <= EFD_SEMAPHORE; kind += EFD_SEMAPHORE) {
		int one = eventfd(3, EFD_NONBLOCK | kind);
		for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
			struct pollfd state = { one, POLLIN | POLLOUT, 0 };
			uint64_t value[2] = { values[i] };
			told("write", write(one, value, 7));
			told("write", write(one, value, 8));
			told("poll", poll(&state, 1, 0));
			told("read", read(one, value, 7));
			told("read", read(one, value, 8));
			printf("%#x %llx\n", state.revents, (unsigned long long)value[0]);
		}
		close(one);
	}
}

/* Which of several descriptors are ready for which of three things. */
static void several(void)
{
	static char page[4096];
	int pipes[3][2], sockets[2], highest;
	struct timeval none = { 0, 0 };
	fd_set sets[3];

	for (int i = 0; i < 3; i++)
		pipe2(pipes[i], O_NONBLOCK);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	write(pipes[0][1], "x", 1);
	close(pipes[1][1]);
	while (write(pipes[2][1], page, sizeof page) > 0)
		;
	shutdown(sockets[1], SHUT_WR);
	highest = sockets[1] + 1;
	for (int which = 1; which < 8; which++) {
		for (int i = 0; i < 3; i++) {
			FD_ZERO(&sets[i]);
			for (int fd = pipes[0][0]; fd < highest; fd++)
				if (fd != pipes[1][1])
					FD_SET(fd, &sets[i]);
		}
		none.tv_sec = none.tv_usec = 0;
		told("select", select(highest, which & 1 ? &sets[0] : NULL, which & 2 ? &sets[1] : NULL,
		    which & 4 ? &sets[2] : NULL, &none));
		for (int i = 0; i < 3; i++)
			for (int fd = pipes[0][0]; fd < highest && which >> i & 1; fd++)
				if (fd != pipes[1][1])
					putchar('0' + !!FD_ISSET(fd, &sets[i]));
		putchar('\n');
	}
	FD_ZERO(&sets[0]);
	FD_SET(pipes[1][1], &sets[0]);
	told("select", select(highest, &sets[0], NULL, NULL, &none));
}

int main(void)
{
	int ends[2], counter = eventfd(0, EFD_NONBLOCK), timer = timerfd_create(CLOCK_MONOTONIC, 0), signals;
	struct itimerspec soon = { { 0, 0 }, { 0, 20000000 } };
	struct signalfd_siginfo info;
	struct timeval short_time = { 0, 50000 };
	struct pollfd waiting[2];
	sigset_t set;
	fd_set readable;
	uint64_t value = 5;
	char text[16];

	setvbuf(stdout, NULL, _IONBF, 0);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	pipe2(ends, O_NONBLOCK);
	watch(ends[0], EPOLLIN | EPOLLET, 1);
	watch(counter, EPOLLIN, 2);
	show("nothing", 10);
	write(ends[1], "abc", 3);
	show("edge", -1);
	show("edge again", 0);
	write(counter, &value, sizeof value);
	show("counter", -1);
	show("counter again", -1);
	value = 0;
	read(counter, &value, sizeof value);
	printf("counted %d\n", (int)value);
	printf("empty %zd %s\n", read(counter, &value, sizeof value), strerror(errno));
	printf("twice: %d %s\n", epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &(struct epoll_event){ 0 }), strerror(errno));

	timerfd_settime(timer, 0, &soon, NULL);
	watch(timer, EPOLLIN | EPOLLONESHOT, 3);
	show("timer", 1000);
	show("once", 30);
	read(timer, &value, sizeof value);
	printf("expired %d\n", (int)value);

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, 0);
	watch(signals, EPOLLIN, 4);
	if (fork() == 0)
		_exit(11);
	show("child", -1);
	read(signals, &info, sizeof info);
	printf("signal %d status %d\n", (int)info.ssi_signo, info.ssi_status);
	wait(NULL);

	epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL);
	close(ends[1]);
	waiting[0] = (struct pollfd){ ends[0], POLLIN, 0 };
	waiting[1] = (struct pollfd){ 99, POLLIN, 0 };
	printf("poll %d", poll(waiting, 2, -1));
	printf(" %#x %#x\n", waiting[0].revents, waiting[1].revents);
	printf("read %zd", read(ends[0], text, sizeof text));
	printf(" %zd\n", read(ends[0], text, sizeof text));
	FD_ZERO(&readable);
	FD_SET(counter, &readable);
	printf("select %d", select(counter + 1, &readable, NULL, NULL, &short_time));
	printf(" %d\n", FD_ISSET(counter, &readable));
	printf("poll %d\n", poll(NULL, 0, 20));
	counters();
	several();
	return 0;
}
