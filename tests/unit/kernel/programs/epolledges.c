/* What epoll tells when: both ends of each kind of file are written, read in parts, filled, emptied and shut. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "say.h"

static int ends[2], epoll;
static char bytes[1 << 16];

static int settle; /* microseconds in which a kernel's worker brings what was written */

static void told(const char *what)
{
	struct epoll_event found[8];
	int count;

	usleep(settle), printf(" %s", what);
	for (int again = 0; again < 2; again++) {
		count = epoll_wait(epoll, found, 8, 0);
		printf(again && count ? " again" : "");
		for (int which = 0; which < 2; which++)
			for (int i = 0; i < count; i++)
				if (found[i].data.u32 == which)
					printf(" %c%x", "ab"[which], found[i].events);
	}
	putchar(';');
}

static void make(const char *kind)
{
	int fd, one = 1;

	settle = !strcmp(kind, "tcp") || !strcmp(kind, "udp") || !strcmp(kind, "terminal") ? 15000 : 0;
	struct sockaddr_in name = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } }, other = name;
	socklen_t length = sizeof name;
	struct termios modes;

	if (!strcmp(kind, "pipe"))
		pipe(ends);
	else if (!strcmp(kind, "fifo"))
		mkfifo("f", 0600), ends[0] = open("f", O_RDONLY | O_NONBLOCK), ends[1] = open("f", O_WRONLY), unlink("f");
	else if (!strcmp(kind, "fifo both"))
		mkfifo("f", 0600), ends[0] = open("f", O_RDWR | O_NONBLOCK), ends[1] = open("f", O_WRONLY), unlink("f");
	else if (!strcmp(kind, "stream"))
		socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	else if (!strcmp(kind, "datagrams"))
		socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	else if (!strcmp(kind, "messages"))
		socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
	else if (!strcmp(kind, "tcp"))
		fd = socket(AF_INET, SOCK_STREAM, 0), bind(fd, (void *)&name, length), listen(fd, 1), getsockname(fd, (void *)&name, &length), ends[1] = socket(AF_INET, SOCK_STREAM, 0), connect(ends[1], (void *)&name, length), ends[0] = accept(fd, NULL, NULL), close(fd), setsockopt(ends[1], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	else if (!strcmp(kind, "udp"))
		ends[0] = socket(AF_INET, SOCK_DGRAM, 0), bind(ends[0], (void *)&name, length), getsockname(ends[0], (void *)&name, &length), ends[1] = socket(AF_INET, SOCK_DGRAM, 0), connect(ends[1], (void *)&name, length);
	else if (!strcmp(kind, "terminal"))
		openpty(&ends[0], &ends[1], NULL, NULL, NULL), tcgetattr(ends[1], &modes), cfmakeraw(&modes), tcsetattr(ends[1], TCSANOW, &modes);
	else
		ends[0] = eventfd(0, EFD_SEMAPHORE), ends[1] = dup(ends[0]);
	for (int i = 0; i < 2; i++)
		fcntl(ends[i], F_SETFL, O_NONBLOCK);
}

static void both(const char *kind, unsigned events)
{
	int sizes[] = { 4, 2, 2, 8 }, inet = !strcmp(kind, "tcp") || !strcmp(kind, "udp");

	printf("%s %x:", kind, events);
	make(kind), epoll = epoll_create1(0);
	int word = !strcmp(kind, "eventfd") ? 8 : 0;
	if (word)
		sizes[0] = sizes[1] = sizes[2] = 8, memset(bytes, 0, 8), bytes[0] = 2;
	else
		memset(bytes, 'x', sizeof bytes);
	for (unsigned i = 0; i < 2; i++)
		epoll_ctl(epoll, EPOLL_CTL_ADD, ends[i], &(struct epoll_event){ events, { .u32 = i } });
	told("new");
	write(ends[1], bytes, sizes[0]), told("written");
	say(read(ends[0], bytes, sizes[1])), told("read in part");
	write(ends[1], bytes, sizes[2]), told("more");
	write(ends[1], bytes, sizes[2]), told("and more");
	say(read(ends[0], bytes, sizes[1])), told("a part");
	while (read(ends[0], bytes, sizes[3]) > 0)
		;
	told("all");
	say(read(ends[0], bytes, 8)), told("none");
	if (events & EPOLLONESHOT || !(events & EPOLLET))
		for (unsigned i = 0; i < 2; i++)
			epoll_ctl(epoll, EPOLL_CTL_MOD, ends[i], &(struct epoll_event){ events, { .u32 = i } }), told("changed");
	write(ends[1], bytes, word ? 8 : 1), read(ends[0], bytes, 8), told("written and read");
	if (!settle) { /* of the others what is on its way depends on the host */
		if (word)
			memset(bytes, 255, 8), bytes[0] = 254;
		for (int i = 0; i < 4000 && write(ends[1], bytes, word ? 8 : 1 << 10) > 0; i++)
			;
		told("filled");
		read(ends[0], bytes, word ? 8 : 10), told("less");
		read(ends[0], bytes, word ? 8 : 5000), told("and less");
		for (int i = 0; i < (word ? 8 : 100000) && read(ends[0], bytes, word ? 8 : 8192) > 0; i++)
			;
		told("emptied");
		say(write(ends[1], bytes, word ? 8 : 1)), told("one");
	}
	settle = inet ? 60000 : settle; /* the end of a connection is acknowledged late */
	if (word || !strcmp(kind, "udp"))
		;
	else if (shutdown(ends[1], SHUT_WR) == 0) {
		told("shut");
		while (read(ends[0], bytes, 8192) > 0)
			;
		told("the end"), write(ends[0], "y", 1), told("answered"), shutdown(ends[0], SHUT_RD), told("shut for reading"), shutdown(ends[1], SHUT_RD), told("both");
	}
	close(ends[1]), told("closed"), close(ends[0]), told("gone"), close(epoll), putchar('\n');
}

static void back(const char *kind)
{
	printf("%s:", kind);
	make(kind), epoll = epoll_create1(0);
	for (unsigned i = 0; i < 2; i++)
		epoll_ctl(epoll, EPOLL_CTL_ADD, ends[i], &(struct epoll_event){ EPOLLIN | EPOLLOUT | EPOLLET, { .u32 = i } });
	told("new"), write(ends[0], "abc", 3), told("answered"), read(ends[1], bytes, 1), told("read"), write(ends[1], "a", 1), told("written"), close(ends[0]), told("closed"), say(read(ends[1], bytes, 9)), told("read"), say(write(ends[1], "x", 1)), told("written");
	close(ends[1]), close(epoll), putchar('\n');
}

/* how many writes of a size find room, and how much must be read until another does */
static void filled(int type, int size)
{
	static char many[1 << 20];
	long sum = 0, count = 0, got;

	socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, ends);
	while ((got = write(ends[0], many, size)) > 0)
		sum += got, count++;
	printf("%d:", size), say(got), say(sum), say(count);
	for (sum = count = 0; (got = read(ends[1], many, 700)) > 0 && write(ends[0], many, 1) < 0; count++)
		sum += got;
	say(sum), say(count), putchar('\n'), close(ends[0]), close(ends[1]);
}

int main(void)
{
	static const char *const kinds[] = { "pipe", "fifo", "fifo both", "stream", "datagrams", "messages", "tcp", "udp", "terminal", "eventfd" };

	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		both(kinds[i], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
		both(kinds[i], EPOLLIN | EPOLLET);
		both(kinds[i], EPOLLOUT | EPOLLET);
		both(kinds[i], EPOLLIN | EPOLLOUT | EPOLLONESHOT);
		both(kinds[i], EPOLLIN | EPOLLPRI);
	}
	for (unsigned i = 3; i < 9; i++)
		if (i != 7)
			back(kinds[i]);
	for (int size = 1; size < 1 << 20; size = size * 3 + 1)
		filled(SOCK_STREAM, size), filled(SOCK_SEQPACKET, size);
	return 0;
}
