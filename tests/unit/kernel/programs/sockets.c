/* UNIX and loopback sockets: streams, datagrams, descriptors and credentials passed along. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void serve(int listener)
{
	char text[64];
	int fd = accept(listener, NULL, NULL), total = 0;
	ssize_t size;

	while ((size = read(fd, text, sizeof text)) > 0) {
		for (ssize_t i = 0; i < size; i++)
			total += text[i];
		if (memchr(text, '\n', size) != NULL)
			break;
	}
	dprintf(fd, "sum %d\n", total);
	close(fd);
	_exit(0);
}

static void ask(int fd)
{
	char answer[64];
	ssize_t size;

	write(fd, "hello, ", 7);
	write(fd, "server\n", 7);
	size = read(fd, answer, sizeof answer);
	printf("%.*s", (int)size, answer);
	printf("end %zd\n", read(fd, answer, sizeof answer));
	close(fd);
	wait(NULL);
}

static void over_tcp(int family)
{
	int listener = socket(family, SOCK_STREAM, 0), fd = socket(family, SOCK_STREAM, 0), one = 1, error;
	struct sockaddr_storage name = { .ss_family = family };
	socklen_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6), length = 4;

	if (family == AF_INET)
		((struct sockaddr_in *)&name)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)&name)->sin6_addr = in6addr_loopback;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	bind(listener, (struct sockaddr *)&name, size);
	getsockname(listener, (struct sockaddr *)&name, &size);
	listen(listener, 5);
	if (fork() == 0)
		serve(listener);
	printf("connect %d\n", connect(fd, (struct sockaddr *)&name, size));
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	printf("error %d\n", error);
	ask(fd);
	close(listener);
	fd = socket(family, SOCK_STREAM, 0);
	printf("again %d %s\n", connect(fd, (struct sockaddr *)&name, size), strerror(errno));
	close(fd);
}

static void over_udp(void)
{
	int one = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in name = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } }, from;
	socklen_t size = sizeof name;
	char text[8];

	bind(one, (struct sockaddr *)&name, size);
	getsockname(one, (struct sockaddr *)&name, &size);
	sendto(other, "first datagram", 14, 0, (struct sockaddr *)&name, size);
	sendto(other, "second", 6, 0, (struct sockaddr *)&name, size);
	size = sizeof from;
	printf("udp %zd", recvfrom(one, text, sizeof text, MSG_TRUNC, (struct sockaddr *)&from, &size));
	printf(" %.8s", text);
	printf(" %zd\n", recv(one, text, sizeof text, 0));
	sendto(one, "back", 4, 0, (struct sockaddr *)&from, size);
	printf("udp %zd %s\n", recv(other, text, sizeof text, 0), inet_ntoa(from.sin_addr));
	printf("udp %zd %s\n", recv(other, text, sizeof text, 0), strerror(errno));
	close(one);
	close(other);
}

static void over_unix(const char *path)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un name = { AF_UNIX };
	struct ucred who;
	struct stat status;
	socklen_t size = sizeof who;

	strcpy(name.sun_path, path);
	unlink(path);
	printf("bind %d\n", bind(listener, (struct sockaddr *)&name, sizeof name));
	stat(path, &status);
	printf("socket %d\n", S_ISSOCK(status.st_mode));
	listen(listener, 1);
	if (fork() == 0)
		serve(listener);
	connect(fd, (struct sockaddr *)&name, sizeof name);
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size);
	printf("peer %d %d\n", who.pid == getpid(), who.uid == getuid());
	ask(fd);
	close(listener);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	printf("refused %d %s\n", connect(fd, (struct sockaddr *)&name, sizeof name), strerror(errno));
	unlink(path);
	close(fd);
}

static void pass_descriptor(void)
{
	int pair[2], ends[2], number, got = -1, bytes;
	char text[16], control[CMSG_SPACE(sizeof(int))];
	struct iovec vector = { "x", 1 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
	    .msg_controllen = sizeof control };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	if (fork() == 0) {
		pipe(ends);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
		number = sendmsg(pair[1], &message, 0);
		write(ends[1], "through it", 10);
		_exit(number);
	}
	vector.iov_base = text;
	printf("recvmsg %zd\n", recvmsg(pair[0], &message, MSG_CMSG_CLOEXEC));
	header = CMSG_FIRSTHDR(&message);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(&got, CMSG_DATA(header), sizeof got);
	wait(NULL);
	ioctl(got, FIONREAD, &bytes);
	printf("waiting %d, cloexec %d\n", bytes, fcntl(got, F_GETFD));
	number = read(got, text, sizeof text);
	printf("%.*s\n", number, text);
	close(pair[1]);
	printf("end %zd\n", read(pair[0], text, sizeof text));
	struct pollfd waiting = { pair[0], POLLIN | POLLOUT, 0 };
	printf("poll %d", poll(&waiting, 1, 0));
	printf(" %#x\n", waiting.revents);
	printf("send %zd %s\n", send(pair[0], "x", 1, MSG_NOSIGNAL), strerror(errno));
}

static void both_families(void)
{
	struct sockaddr_in old = { .sin_family = AF_INET };
	struct sockaddr_in6 new = { .sin6_family = AF_INET6 };
	socklen_t size = sizeof old;
	int four = socket(AF_INET, SOCK_STREAM, 0), six = socket(AF_INET6, SOCK_STREAM, 0), on = 1;

	bind(four, (struct sockaddr *)&old, sizeof old);
	getsockname(four, (struct sockaddr *)&old, &size);
	new.sin6_port = old.sin_port;
	printf("both families %d", bind(six, (struct sockaddr *)&new, sizeof new));
	setsockopt(six, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	printf(", one each %d", bind(six, (struct sockaddr *)&new, sizeof new));
	printf(", told of input %d\n", ioctl(four, FIOASYNC, &on));
	close(four);
	close(six);
}

/* How long calls wait: the old options have the words of the process, the new ones 64 bits everywhere. */
static void timeouts(void)
{
	static const long long values[][2] = { { 0, 0 }, { 0, 20000 }, { 5, 500000 }, { 1, 1000000 }, { -3, 5 }, { 2, -1 } };
	int pair[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	for (int option = 20; option < 68; option = option == 21 ? 66 : option + 1)
		for (int i = 0; i < 6; i++) {
			long old[2] = { values[i][0], values[i][1] };
			long long new[2] = { values[i][0], values[i][1] };
			int wide = option >= 66, whole = wide ? sizeof new : sizeof old, told = -1;
			void *value = wide ? (void *)new : (void *)old;
			socklen_t size = whole;

			printf("timeout %d %d", option, setsockopt(pair[0], SOL_SOCKET, option, value, whole - 1));
			printf(" %d", setsockopt(pair[0], SOL_SOCKET, option, value, whole));
			printf(" %s", errno == EDOM ? "out of range" : "");
			errno = 0;
			told = getsockopt(pair[0], SOL_SOCKET, option, value, &size);
			printf(" %d %d %lld %lld\n", told, size, wide ? new[0] : old[0], wide ? new[1] : old[1]);
			if (option % 2 == 0 && i == 1)
				printf("waited %zd\n", read(pair[0], value, 1));
		}
	close(pair[0]);
	close(pair[1]);
}

/* A connected pair; `kind` 3 is TCP. */
static void connected(int kind, int pair[2])
{
	static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM };
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;

	if (kind < 3) {
		socketpair(AF_UNIX, types[kind], 0, pair);
		return;
	}
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, size);
	listen(listener, 1);
	getsockname(listener, (struct sockaddr *)&address, &size);
	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	connect(pair[0], (struct sockaddr *)&address, size);
	pair[1] = accept(listener, NULL, NULL);
	close(listener);
}

/* What each end is ready for, and what it answers, however the two have been shut: 3 is not at all. */
static void shut(int kind)
{
	for (int mine = 0; mine <= 3; mine++)
		for (int theirs = 0; theirs <= 4 - (kind == 3); theirs++) {
			struct pollfd ends[2] = { { .events = POLLIN | POLLOUT | POLLRDHUP | POLLPRI } };
			int pair[2];
			char byte;

			connected(kind, pair);
			if (mine < 3)
				shutdown(pair[0], mine);
			if (theirs < 3)
				shutdown(pair[1], theirs);
			if (theirs == 4)
				close(pair[1]);
			usleep(kind == 3 ? 1000 : 0);
			ends[1] = ends[0];
			ends[0].fd = pair[0], ends[1].fd = theirs == 4 ? -1 : pair[1];
			poll(ends, 2, 0);
			printf("%d %d %d: %#x %#x", kind, mine, theirs, ends[0].revents, ends[1].revents);
			for (int i = 0; i < 2 - (theirs == 4); i++) {
				ssize_t got = recv(pair[i], &byte, 1, MSG_DONTWAIT);
				printf(" %zd %s", got, got < 0 ? strerror(errno) : "");
				got = send(pair[i], "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
				printf(" %zd %s", got, got < 0 ? strerror(errno) : "");
				usleep(kind == 3 ? 1000 : 0);
			}
			if (mine % 2 == 0)
				printf(" %zd", recv(pair[0], &byte, 1, 0));
			putchar('\n');
			close(pair[0]);
			if (theirs < 4)
				close(pair[1]);
		}
}

/* Who waits in a call when the other end is shut goes on. */
static void woken(void)
{
	static char data[1 << 16];
	int pair[2], status;

	for (int kind = 0; kind <= 3; kind++)
		for (int writes = 0; writes <= (kind < 2); writes++) {
			connected(kind, pair);
			if (fork() == 0) {
				ssize_t moved;
				do
					moved = writes ? send(pair[0], data, sizeof data, MSG_NOSIGNAL) : recv(pair[0], data, 1, 0);
				while (moved > 0);
				_exit(moved < 0 ? errno : 0);
			}
			usleep(20000);
			shutdown(pair[kind == 2 ? 0 : 1], writes || kind == 2 ? SHUT_RD : SHUT_WR);
			wait(&status);
			printf("%d %d woken %d\n", kind, writes, WEXITSTATUS(status));
			close(pair[0]);
			close(pair[1]);
		}
}

static int writable(int end)
{
	struct pollfd wanted = { end, POLLOUT };

	return poll(&wanted, 1, 0);
}

/* How many datagrams an end takes until its sender has to wait, and when that may go on. */
static void crowded(void)
{
	static const int sizes[] = { 0, 192, 193, 704, 705, 3777, 8000, 16064, 16065, 30000, 39968, 39969 };
	static char data[40000];
	struct sockaddr_un name = { AF_UNIX };
	socklen_t length = sizeof name;
	int pair[2], size = 20000, most = 10, status;
	FILE *limit = fopen("/proc/sys/net/unix/max_dgram_qlen", "r");

	if (limit) {
		fscanf(limit, "%d", &most);
		fclose(limit);
	}
	for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		int sent = 0, was = 1, left;

		socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
		setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
		printf("datagrams of %d:", sizes[i]);
		while (send(pair[0], data, sizes[i], MSG_DONTWAIT) >= 0) {
			sent++;
			if (writable(pair[0]) != was)
				printf(" much after %d,", sent), was = 0;
		}
		printf(" %d, then %s;", sent, strerror(errno));
		for (left = sent; left && !writable(pair[0]); left--)
			recv(pair[1], data, 1, 0);
		printf(" little with %d\n", left);
		close(pair[0]);
		close(pair[1]);
	}
	int all = socket(AF_UNIX, SOCK_DGRAM, 0), one = socket(AF_UNIX, SOCK_DGRAM, 0), sent = 0;
	bind(all, (struct sockaddr *)&name, sizeof name.sun_family);
	getsockname(all, (struct sockaddr *)&name, &length);
	connect(one, (struct sockaddr *)&name, length);
	while (send(one, data, 1, MSG_DONTWAIT) > 0)
		sent++;
	printf("to one that others write to: %d\n", sent == (most < 277 ? most + 1 : 278));
	if (fork() == 0)
		_exit(write(one, data, 1) != 1);
	usleep(20000);
	for (int i = 0; i < sent; i++)
		recv(all, data, 1, MSG_DONTWAIT);
	wait(&status);
	printf("waited %d, ready %d\n", status, writable(one));
	close(one);
	close(all);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	over_tcp(AF_INET);
	over_tcp(AF_INET6);
	over_udp();
	both_families();
	timeouts();
	for (int kind = 0; kind <= 3; kind++)
		shut(kind);
	woken();
	crowded();
	over_unix("socket.tmp");
	pass_descriptor();
	return 0;
}
