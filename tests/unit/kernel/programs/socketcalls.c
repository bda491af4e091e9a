/* Calls on sockets, each with arguments in and just out of range: making, names, options, messages, control data. */
#include "portable.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KINDS = 7 };
static const int kinds[KINDS][2] = { { AF_UNIX, SOCK_STREAM }, { AF_UNIX, SOCK_DGRAM }, { AF_UNIX, SOCK_SEQPACKET },
    { AF_INET, SOCK_STREAM }, { AF_INET, SOCK_DGRAM }, { AF_INET6, SOCK_STREAM }, { AF_INET6, SOCK_DGRAM } };

static void show(const char *what, long value)
{
	if (value == -1)
		printf("%s: %s\n", what, strerrorname_np(errno));
	else
		printf("%s: %ld\n", what, value);
}
#define SAY(call) show(#call, call)

static int of(int kind)
{
	return socket(kinds[kind][0], kinds[kind][1] | SOCK_NONBLOCK, 0);
}

static void making(void)
{
	static const int domains[] = { -1, 0, AF_UNIX, AF_INET, AF_INET6, 46, 1 << 20 };
	static const int types[] = { -1, 0, 1, 2, 4, 5, 7, 10, 11, 15, SOCK_STREAM | SOCK_CLOEXEC,
	    SOCK_DGRAM | SOCK_NONBLOCK, SOCK_STREAM | 0x1000, SOCK_STREAM | 0x10000 };
	static const int protocols[] = { -1, 0, 1, 6, 17, 254, 300 };

	for (int d = 0; d < 7; d++)
		for (int t = 0; t < 14; t++)
			for (int p = 0; p < 7; p++) {
				int pair[2] = { 5, 5 };

				if (domains[d] != AF_UNIX && (types[t] & 15) == SOCK_DGRAM && protocols[p] == 1)
					continue; /* ping, for some */
				if (domains[d] > AF_UNIX && (types[t] == SOCK_SEQPACKET || types[t] == 10))
					continue; /* SCTP, and packets, where there is that */
				int one = socket(domains[d], types[t], protocols[p]), error = one < 0 ? errno : 0;
				int two = socketpair(domains[d], types[t], protocols[p], pair);
				printf("%d %x %d: %d %d, %d %d\n", domains[d], types[t], protocols[p], one < 0, error, two,
				    two < 0 ? errno : 0);
				close(one);
				if (!two)
					close(pair[0]), close(pair[1]);
			}
	SAY(socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)8));
	SAY(socketpair(AF_UNIX, SOCK_STREAM, 1, (int *)8));
	SAY(socketpair(AF_INET, SOCK_STREAM, 0, (int *)8));
}

/* The name of a socket that the kernel has named itself differs from run to run. */
static void show_name(const char *call, int result, struct sockaddr_storage *name, socklen_t size)
{
	int port = result ? 0 : ((struct sockaddr_in *)name)->sin_port;

	printf("%s: %d %d, size %d", call, result, result ? errno : 0, (int)size);
	if (port && size >= 16)
		((struct sockaddr_in *)name)->sin_port = 1;
	for (int i = 0; i < 30; i++)
		printf(" %02x", ((unsigned char *)name)[i]);
	putchar('\n');
}

static int address_of(int family, struct sockaddr_storage *name, const char *path)
{
	memset(name, 0, sizeof *name);
	name->ss_family = family;
	if (family == AF_UNIX) {
		strcpy(((struct sockaddr_un *)name)->sun_path, path);
		return 2 + strlen(path) + 1;
	}
	if (family == AF_INET)
		((struct sockaddr_in *)name)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)name)->sin6_addr = in6addr_loopback;
	return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/* A bound socket, listening if it may, and its address. */
static int bound(int kind, struct sockaddr_storage *name, socklen_t *size)
{
	static char path[20];
	static int number;
	int fd = of(kind);

	sprintf(path, "bound%d", number++);
	*size = address_of(kinds[kind][0], name, path);
	bind(fd, (void *)name, *size);
	getsockname(fd, (void *)name, size);
	listen(fd, 2);
	return fd;
}

static void names(void)
{
	static const int rooms[] = { 0, 1, 2, 5, 8, 16, 28, 110, 128, -1 };
	struct sockaddr_storage name, told;
	socklen_t size, length;
	char line[40];

	for (int kind = 0; kind < KINDS; kind++) {
		int fd = of(kind), served = bound(kind, &name, &size);

		printf("kind %d\n", kind);
		for (int i = 0; i < 10; i++) {
			memset(&told, 0x55, sizeof told);
			length = rooms[i];
			int result = getsockname(fd, (void *)&told, &length);
			show_name("own name", result, &told, length);
			length = rooms[i];
			result = getsockname(served, (void *)&told, &length);
			show_name("bound name", result, &told, length);
			length = rooms[i];
			show("no peer", getpeername(fd, (void *)&told, &length));
			if (i == 4)
				show("connect", connect(fd, (void *)&name, size));
			length = rooms[i];
			memset(&told, 0x55, sizeof told);
			result = getpeername(fd, (void *)&told, &length);
			show_name("peer", result, &told, length);
		}
		show("peer of a server", getpeername(served, (void *)&told, &length));
		length = sizeof told;
		memset(&told, 0x55, sizeof told);
		int accepted = accept4(served, (void *)&told, &length, SOCK_NONBLOCK);
		show_name("accepted", accepted < 0 ? -1 : 0, &told, length);
		if (accepted >= 0) {
			length = sizeof told;
			int result = getsockname(accepted, (void *)&told, &length);
			show_name("its name", result, &told, length);
			length = sizeof told;
			result = getpeername(accepted, (void *)&told, &length);
			show_name("its peer", result, &told, length);
		}
		show("accept no more", accept(served, NULL, NULL));
		show("accept with flags", accept4(served, NULL, NULL, 1));
		show("accept at another", accept(fd, NULL, NULL));
		show("no room", getsockname(served, (void *)8, &size));
		show("no size", getsockname(served, (void *)&told, (void *)8));
		show("bind again", bind(served, (void *)&name, size));
		show("bind the same", bind(of(kind), (void *)&name, size));
		show("listen at a connected one", listen(fd, 1));
		show("listen again", listen(served, 0));
		show("connect again", connect(fd, (void *)&name, size));
		show("connect a server", connect(served, (void *)&name, size));
		listen(served, 5);
		for (int i = -1; i <= (int)size + 1; i += i < 3 || i > (int)size - 4 ? 1 : 5) {
			if (i >= 0 && i < 2)
				continue;
			sprintf(line, "connect %d bytes", i);
			int other = of(kind);
			show(line, connect(other, (void *)&name, i));
			sprintf(line, "sendto %d bytes", i);
			show(line, sendto(other, "x", 1, MSG_NOSIGNAL, (void *)&name, i));
			close(other);
		}
		show("shutdown 3", shutdown(fd, 3));
		show("shutdown -1", shutdown(fd, -1));
		show("shutdown of none", shutdown(of(kind), 0));
		show("shutdown of a server", shutdown(served, 1));
		name.ss_family = AF_UNSPEC;
		show("connect to nothing", connect(fd, (void *)&name, size));
		length = sizeof told;
		show("peer afterwards", getpeername(fd, (void *)&told, &length));
		for (int i = 0; i < 2; i++)
			show("send afterwards", send(fd, "x", 1, MSG_NOSIGNAL));
		for (int i = 0; accepted >= 0 && i < 2; i++) {
			struct pollfd end = { accepted, POLLIN | POLLOUT | POLLRDHUP };
			poll(&end, 1, 0);
			printf("%x ", kinds[kind][0] == AF_UNIX ? 0 : end.revents);
			show("the other end", recv(accepted, line, 1, MSG_DONTWAIT));
			show("sends", send(accepted, "x", 1, MSG_NOSIGNAL));
		}
		length = sizeof told;
		int named = getsockname(fd, (void *)&told, &length);
		show_name("name afterwards", named, &told, length);
		name.ss_family = kinds[kind][0];
		show("connect anew", connect(fd, (void *)&name, size));
		if (kind == 3 || kind == 5) {
			name.ss_family = AF_UNSPEC;
			show("end a server", connect(served, (void *)&name, size));
			show("accept", accept(served, NULL, NULL));
			name.ss_family = kinds[kind][0];
			show("connect to what serves no more", connect(of(kind), (void *)&name, size));
			show("listen again", listen(served, 1));
		}
		for (int i = 3; i < 100; i++)
			close(i);
	}
	system("rm -f bound*");
}

/* Paths where no socket is, or one of another kind. */
static void paths(void)
{
	static const char *const all[] = { "missing", "file", "fifo", ".", "file/below", "link", "bound", "old" };
	struct sockaddr_un name = { AF_UNIX };

	close(open("file", O_CREAT | O_WRONLY, 0600));
	mkfifo("fifo", 0600);
	symlink("bound", "link");
	for (int served = 0; served < 3; served++) {
		strcpy(name.sun_path, served == 2 ? "old" : "bound");
		unlink(name.sun_path);
		int fd = of(served);
		bind(fd, (void *)&name, sizeof name);
		listen(fd, 1);
		if (served == 2)
			close(fd);
		for (int kind = 0; kind < 3; kind++)
			for (int i = 0; i < 8; i++) {
				int other = of(kind);
				strcpy(name.sun_path, all[i]);
				printf("%d %d ", served, kind);
				show(all[i], connect(other, (void *)&name, sizeof name));
				close(other);
				if (i < 6) {
					show("bound there", bind(other = of(kind), (void *)&name, sizeof name));
					if (!i)
						unlink("missing");
					close(other);
				}
			}
		close(fd);
	}
	system("rm -f file fifo link bound old");
}

/* Addresses that a socket cannot have, or cannot reach. */
static void places(void)
{
	static const unsigned hosts[] = { INADDR_ANY, INADDR_LOOPBACK, 0x7f010203, 0x01020304, 0x80000001, 0x7e000001 };
	static const char *const wide[] = { "::", "::1", "::ffff:127.0.0.1", "::ffff:1.2.3.4", "::2", "::127.0.0.1" };
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };

	for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++)
		for (int i = 0; i < 6; i++) {
			four.sin_addr.s_addr = htonl(hosts[i]);
			four.sin_port = 0;
			printf("%d %d:", type, i);
			printf(" %d %d", bind(socket(AF_INET, type, 0), (void *)&four, sizeof four), errno);
			inet_pton(AF_INET6, wide[i], &six.sin6_addr);
			six.sin6_port = 0;
			printf(" %d %d", bind(socket(AF_INET6, type, 0), (void *)&six, sizeof six), errno);
			printf(" %d %d", bind(socket(AF_INET, type, 0), (void *)&six, sizeof six), errno);
			printf(" %d %d", bind(socket(AF_INET6, type, 0), (void *)&four, sizeof four), errno);
			printf(" %d %d\n", bind(socket(AF_UNIX, type, 0), (void *)&four, sizeof four), errno);
			for (int fd = 3; fd < 20; fd++)
				close(fd);
			errno = 0;
		}
}

/* Options: what is told of one before it is set, whether it may be set, and what is told then. */
static void options(void)
{
	static const int all[][2] = { { SOL_SOCKET, 0 }, { SOL_SOCKET, SO_DEBUG }, { SOL_SOCKET, SO_REUSEADDR },
	    { SOL_SOCKET, SO_TYPE }, { SOL_SOCKET, SO_ERROR }, { SOL_SOCKET, SO_BROADCAST }, { SOL_SOCKET, SO_SNDBUF },
	    { SOL_SOCKET, SO_RCVBUF }, { SOL_SOCKET, SO_KEEPALIVE }, { SOL_SOCKET, SO_OOBINLINE }, { SOL_SOCKET, SO_REUSEPORT },
	    { SOL_SOCKET, SO_PASSCRED }, { SOL_SOCKET, SO_ACCEPTCONN }, { SOL_SOCKET, SO_PROTOCOL },
	    { SOL_SOCKET, SO_DOMAIN }, { SOL_SOCKET, 200 }, { SOL_SOCKET, -1 },
	    { IPPROTO_IP, 0 }, { IPPROTO_IP, IP_RECVTTL }, { IPPROTO_TCP, TCP_NODELAY }, { IPPROTO_UDP, 1 },
	    { IPPROTO_IPV6, IPV6_V6ONLY }, { 5, 1 }, { 300, 1 }, { -1, 1 } };
	struct sockaddr_storage name;
	socklen_t size;

	for (int kind = 0; kind < KINDS; kind++)
		for (int served = 0; served < 2; served++)
			for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
				int fd = served ? bound(kind, &name, &size) : of(kind), level = all[i][0], option = all[i][1];
				int value[3] = { -1, -1, -1 }, one = level == SOL_SOCKET ? option == SO_SNDBUF ? 70000 : 7 : 1;
				socklen_t room = 8, three = 3, minus = -1;

				int own = level == SOL_SOCKET && (option == SO_SNDBUF || option == SO_RCVBUF) && kinds[kind][0] != AF_UNIX;
				if (served && level != SOL_SOCKET)
					continue;
				if (level == SOL_SOCKET && option == (kinds[kind][0] == AF_UNIX ? SO_REUSEPORT : SO_PASSCRED))
					continue; /* new kernels refuse it */
				printf("%d %d option %d %d:", kind, served, level, option);
				int result = getsockopt(fd, level, option, value, &room);
				printf(" %d %d size %d: %d,", result, result ? errno : 0, (int)room, own ? 7 : value[0]);
				result = setsockopt(fd, level, option, &one, 3);
				printf(" %d %d", level ? result : 7, level == SOL_SOCKET ? errno : 7);
				result = setsockopt(fd, level, option, &one, -1);
				printf(" %d", result);
				result = setsockopt(fd, level, option, &one, 4);
				printf(" %d %d", result, result ? errno : 0);
				value[0] = -1;
				room = 4;
				getsockopt(fd, level, option, value, &room);
				printf(" now %d", value[0]);
				value[0] = -1;
				result = getsockopt(fd, level, option, value, &three);
				printf(" in part %d %x", three, level == SOL_SOCKET ? value[0] : 0);
				result = getsockopt(fd, level, option, value, &minus);
				printf(" %d %d\n", result, result ? errno : 0);
				close(fd);
			}
	int fd = of(0);
	SAY(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, (void *)8, 4));
	SAY(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, (void *)8, 3));
	SAY(getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, (void *)8));
	SAY(getsockopt(fd, SOL_SOCKET, SO_SNDBUF, (void *)8, &(socklen_t){ 4 }));
	for (int given = -5000; given < 20000; given += 1000 + (given == 2000) * 304) {
		int told = 0;
		socklen_t room = 4;
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &given, 4);
		getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &told, &room);
		printf("a buffer of %d: %d\n", given, given < 0 ? told >= 425984 : told);
	}
	close(fd);
	system("rm -f bound*");
}

/* A program that does without a library's look at it; on i386 there is one call for all, too. */
static char control[4096] __attribute__((aligned(16)));

static void put(size_t *at, int level, int type, size_t length, const void *data, size_t size)
{
	struct cmsghdr *header = (struct cmsghdr *)(control + *at);

	header->cmsg_len = length;
	header->cmsg_level = level;
	header->cmsg_type = type;
	memcpy(CMSG_DATA(header), data, size);
	*at += CMSG_ALIGN(length);
}

static void show_received(int fd, size_t room, int flags)
{
	char bytes[64];
	struct iovec vector = { bytes, sizeof bytes };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room };

	memset(control, 0x77, sizeof control);
	ssize_t got = recvmsg(fd, &message, flags | MSG_DONTWAIT);
	printf("  got %zd %s, flags %x, control %zd:", got, got < 0 ? strerrorname_np(errno) : "", message.msg_flags,
	    message.msg_controllen);
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	for (; header && got >= 0; header = CMSG_NXTHDR(&message, header)) {
		int words = (header->cmsg_len - CMSG_LEN(0)) / 4, *data = (int *)CMSG_DATA(header);

		printf(" [%zd %d %d", header->cmsg_len, header->cmsg_level, header->cmsg_type);
		if (header->cmsg_type == SCM_CREDENTIALS && words == 3)
			printf(" %d %d %d", data[0] == getpid(), data[1], data[2]);
		for (int i = 0; header->cmsg_type == SCM_RIGHTS && i < words; i++) {
			printf(" %s", fcntl(data[i], F_GETFD) < 0 ? "none" : fcntl(data[i], F_GETFD) ? "cloexec" : "open");
			close(data[i]);
		}
		putchar(']');
	}
	putchar('\n');
}

static void controls(void)
{
	int pair[2], on = 1, fds[260];
	struct ucred who = { getpid(), getuid(), getgid() }, wrong = { 1 << 29, getuid(), getgid() };

	for (int i = 0; i < 260; i++)
		fds[i] = 1;
	for (int credentials = 0; credentials < 2; credentials++)
		for (int type = 0; type < 3; type++) {
			socketpair(AF_UNIX, kinds[type][1], 0, pair);
			if (credentials)
				setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
			for (int which = 0; which < 26; which++) {
				char bytes[] = "bytes";
				struct iovec vector = { bytes, 5 };
				struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control };
				size_t at = 0, head = CMSG_LEN(0);

				memset(control, 0, sizeof control);
				if (which < 6)
					put(&at, SOL_SOCKET, SCM_CREDENTIALS, head + 10 + which, &who, sizeof who);
				else if (which < 12)
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + (which - 6) * 2, fds, 12);
				else if (which == 12)
					put(&at, SOL_SOCKET, 9, head + 12, fds, 12);
				else if (which == 13)
					put(&at, SOL_SOCKET + 1, SCM_RIGHTS, head + 4, fds, 12);
				else if (which == 14)
					put(&at, SOL_SOCKET, SCM_RIGHTS, head - 1, fds, 12);
				else if (which == 15)
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 20, fds, 12), at = head + 8;
				else if (which == 16)
					put(&at, SOL_SOCKET, SCM_CREDENTIALS, head + 12, &wrong, sizeof wrong);
				else if (which == 17) {
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 8, fds, 8);
					put(&at, SOL_SOCKET, SCM_CREDENTIALS, head + 12, &who, sizeof who);
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 4, fds, 4);
				} else if (which == 18)
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 8, (int[]){ 1, 99 }, 8);
				else if (which == 19)
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 253 * 4, fds, 253 * 4);
				else if (which == 20)
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 254 * 4, fds, 254 * 4);
				else if (which < 24) {
					put(&at, SOL_SOCKET, SCM_RIGHTS, head + 4, fds, 4);
					at = head - 22 + which; /* one byte too few, all, one too many */
				} else if (which == 24)
					message.msg_control = NULL, at = 40;
				else
					message.msg_control = (void *)8, at = 40;
				message.msg_controllen = at;
				ssize_t sent = sendmsg(pair[0], &message, MSG_NOSIGNAL);
				printf("%d %d %d: %zd %s\n", credentials, type, which, sent, sent < 0 ? strerrorname_np(errno) : "");
				if (sent >= 0)
					show_received(pair[1], which == 19 ? 2048 : 200, which % 2 ? MSG_CMSG_CLOEXEC : 0);
			}
			/* as much of it as there is room for */
			for (size_t room = 0; room < 80; room += 3) {
				size_t at = 0;
				struct iovec vector = { "bytes", 5 };
				struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control };

				put(&at, SOL_SOCKET, SCM_RIGHTS, CMSG_LEN(12), fds, 12);
				message.msg_controllen = at;
				sendmsg(pair[0], &message, 0);
				printf("room of %zd\n", room);
				show_received(pair[1], room, 0);
			}
			close(pair[0]);
			show_received(pair[1], 100, 0);
			close(pair[1]);
		}
}

/* Flags of one call that receives and one that sends, by kind. */
static void flagged(void)
{
	static const int flags[] = { MSG_OOB, MSG_PEEK, MSG_DONTROUTE, MSG_TRUNC, MSG_DONTWAIT, MSG_WAITALL, MSG_NOSIGNAL,
	    MSG_ERRQUEUE, MSG_CMSG_CLOEXEC, 1 << 31 };
	struct sockaddr_storage name;
	socklen_t size;
	char bytes[100];

	for (int kind = 0; kind < KINDS; kind++)
		for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
			int served = bound(kind, &name, &size), fd = of(kind);
			struct iovec vector = { bytes, 10 };
			struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

			connect(fd, (void *)&name, size);
			int end = kinds[kind][1] == SOCK_DGRAM ? served : accept4(served, NULL, NULL, SOCK_NONBLOCK);
			printf("%d %x:", kind, flags[i]);
			if (flags[i] == MSG_OOB && !kind) {
				puts(" one byte, where there is that");
				continue;
			}
			if (flags[i] != MSG_OOB || kinds[kind][0] != AF_INET && kinds[kind][0] != AF_INET6) {
				printf(" send %zd", send(fd, "twenty characters...", 20, flags[i] | MSG_NOSIGNAL));
				printf(" %zd", sendmsg(fd, &message, flags[i] | MSG_NOSIGNAL));
				printf(" none %zd", send(fd, "", 0, flags[i] | MSG_NOSIGNAL));
			}
			usleep(kinds[kind][0] == AF_UNIX ? 0 : 2000);
			if (flags[i] != MSG_ERRQUEUE) {
				errno = 0;
				printf(" recv %zd", recv(end, bytes, 15, flags[i]));
				printf(" %d", errno);
				printf(" %zd", recvmsg(end, &message, flags[i]));
				printf(" flags %x", message.msg_flags);
				errno = 0;
				printf(" %zd", recv(end, bytes, 100, flags[i]));
				printf(" %d", errno);
				printf(" of %zd", recvfrom(end, bytes, 5, MSG_DONTWAIT, NULL, NULL));
			}
			putchar('\n');
			close(fd), close(end), close(served);
		}
	system("rm -f bound*");
}

/* (A library does not survive that there is no timeout.) */
static int receive_several(int fd, struct mmsghdr *messages, int count, int flags, long *timeout)
{
	return syscall(SYS_recvmmsg, fd, messages, count, flags, timeout);
}

/* Several messages with one call. */
static void several(void)
{
	int pair[2];
	char room[4][8], bytes[] = "0123456789";
	struct iovec vectors[4];
	struct mmsghdr messages[4];
	long none[2] = { 0, 0 }, bad[2] = { 0, 1000000000 }, some[2] = { 5, 0 };

	for (int kind = 0; kind < 3; kind++)
		for (int count = -1; count <= 4; count++)
			for (int wrong = 0; wrong <= 4; wrong++) {
				socketpair(AF_UNIX, kinds[kind][1], 0, pair);
				memset(messages, 0, sizeof messages);
				for (int i = 0; i < 4; i++) {
					vectors[i] = (struct iovec){ i == wrong ? (void *)8 : bytes, 5 + i };
					messages[i].msg_hdr.msg_iov = &vectors[i], messages[i].msg_hdr.msg_iovlen = 1;
				}
				printf("%d %d %d:", kind, count, wrong);
				if (count >= 0)
					printf(" sent %d", sendmmsg(pair[0], messages, count, 0));
				for (int i = 0; i < 4; i++)
					vectors[i] = (struct iovec){ i == 2 ? (void *)8 : room[i], 6 }, printf(" %u", messages[i].msg_len);
				printf(" received %d", receive_several(pair[1], messages, count < 0 ? 4 : count, MSG_DONTWAIT, count % 2 ? NULL : none));
				for (int i = 0; i < 4; i++)
					printf(" %u %x", messages[i].msg_len, messages[i].msg_hdr.msg_flags);
				putchar('\n');
				close(pair[0]), close(pair[1]);
			}
	SAY(receive_several(pair[1], messages, 1, 0, NULL));
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	SAY(receive_several(pair[1], messages, 1, MSG_DONTWAIT, bad));
	SAY(receive_several(pair[1], messages, 1, MSG_DONTWAIT, (void *)8));
	send(pair[0], "1", 1, 0);
	SAY(receive_several(pair[1], messages, 2, MSG_DONTWAIT, some));
	printf("%d left of five seconds\n", some[0] * 10 + some[1] / 100000000 >= 49);
	SAY(sendmmsg(99, messages, 0, 0));
	SAY(sendmmsg(1, messages, 1, 0));
	close(pair[0]), close(pair[1]);
}

#ifdef __i386__
static long old(int call, long a, long b, long c, long d, long e, long f)
{
	return syscall(SYS_socketcall, call, (long[]){ a, b, c, d, e, f });
}

/* The one call that i386 had for all of them. */
static void oldest(void)
{
	struct sockaddr_un name = { AF_UNIX, "bound" }, told;
	char bytes[20] = "0123456789";
	struct iovec vector = { bytes, 4 };
	struct mmsghdr message = { { .msg_iov = &vector, .msg_iovlen = 1 } };
	socklen_t size = sizeof told;
	int pair[2], number = 7;

	memset(&told, 0, sizeof told);
	int served = old(1, AF_UNIX, SOCK_STREAM, 0, 0, 0, 0), fd = old(1, AF_UNIX, SOCK_STREAM, 0, 0, 0, 0);
	SAY(old(1, -1, 1, 0, 0, 0, 0));
	SAY(old(2, served, (long)&name, 8, 0, 0, 0));
	SAY(old(2, served, (long)&name, -1, 0, 0, 0));
	SAY(old(4, served, -1, 0, 0, 0, 0));
	SAY(old(3, fd, (long)&name, 8, 0, 0, 0));
	SAY(old(3, -1, (long)&name, 8, 0, 0, 0));
	int end = old(5, served, (long)&told, (long)&size, 0, 0, 0);
	printf("accepted with a name of %d bytes\n", size);
	size = sizeof told;
	SAY(old(6, served, (long)&told, (long)&size, 0, 0, 0));
	printf("%d %s\n", size, told.sun_path);
	size = sizeof told;
	SAY(old(7, fd, (long)&told, (long)&size, 0, 0, 0));
	printf("%d %s\n", size, told.sun_path);
	SAY(old(8, AF_UNIX, SOCK_DGRAM, 0, (long)pair, 0, 0));
	SAY(old(9, fd, (long)bytes, 5, 0, 0, 0));
	SAY(old(10, end, (long)bytes + 10, 3, MSG_PEEK, 0, 0));
	SAY(old(11, pair[0], (long)bytes, 7, 0, 0, 0));
	size = sizeof told;
	SAY(old(12, pair[1], (long)bytes, 9, MSG_TRUNC, (long)&told, (long)&size));
	SAY(old(14, fd, SOL_SOCKET, SO_KEEPALIVE, (long)&number, 4, 0));
	SAY(old(14, fd, SOL_SOCKET, SO_KEEPALIVE, (long)&number, -1, 0));
	size = 4;
	SAY(old(15, fd, SOL_SOCKET, SO_KEEPALIVE, (long)&number, (long)&size, 0));
	printf("%d %d\n", number, size);
	SAY(old(16, fd, (long)&message, 0, 0, 0, 0));
	SAY(old(17, end, (long)&message, MSG_DONTWAIT, 0, 0, 0));
	SAY(old(18, served, 0, 0, 1, 0, 0));
	SAY(old(20, fd, (long)&message, 1, 0, 0, 0));
	SAY(old(19, end, (long)&message, 1, MSG_DONTWAIT, 0, 0));
	SAY(old(13, fd, -1, 0, 0, 0, 0));
	SAY(old(13, fd, SHUT_WR, 0, 0, 0, 0));
	SAY(old(10, end, (long)bytes, 20, MSG_DONTWAIT, 0, 0));
	SAY(old(10, end, (long)bytes, 20, MSG_DONTWAIT, 0, 0));
	SAY(old(0, 0, 0, 0, 0, 0, 0));
	SAY(old(21, 0, 0, 0, 0, 0, 0));
	SAY(syscall(SYS_socketcall, 1, 8));
	unlink("bound");
}
#endif

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	making();
	names();
	places();
	paths();
	options();
	controls();
	flagged();
	several();
#ifdef __i386__
	oldest();
#endif
	return 0;
}
