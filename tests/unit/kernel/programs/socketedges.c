/* Sockets at their edges: queues that are full, ends that are shut, parts of messages, files on their way, names. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#define BAD ((void *)8)
static char bytes[1 << 20];

static void polled(int fd)
{
	struct pollfd one = { fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP | POLLRDNORM | POLLWRNORM | POLLWRBAND };

	poll(&one, 1, 0);
	printf(" [%x]", one.revents);
}

static struct sockaddr_un path_of(const char *path)
{
	struct sockaddr_un name = { AF_UNIX };
	strcpy(name.sun_path, path);
	return name;
}

/* The address with a port of the loopback's, of either family. */
static struct sockaddr_in6 loopback(int family, int port)
{
	struct sockaddr_in6 name = { 0 };
	struct sockaddr_in *four = (struct sockaddr_in *)&name;

	if (family == AF_INET6)
		name.sin6_family = AF_INET6, name.sin6_port = port, name.sin6_addr = in6addr_loopback;
	else
		four->sin_family = AF_INET, four->sin_port = port, four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return name;
}

static socklen_t size_of(int family)
{
	return family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static int port_of(int fd)
{
	struct sockaddr_in6 name;
	socklen_t size = sizeof name;

	getsockname(fd, (struct sockaddr *)&name, &size);
	return name.sin6_port;
}

static void full_queues(int kind)
{
	struct sockaddr_un name = path_of("queue");
	int listener = socket(AF_UNIX, kind, 0), more[6], accepted;

	printf("\nqueue %d:", kind);
	unlink("queue"), bind(listener, (void *)&name, sizeof name), polled(listener), say(accept(listener, NULL, NULL)), listen(listener, 1), polled(listener);
	fcntl(listener, F_SETFL, O_NONBLOCK), say(accept(listener, NULL, NULL));
	for (int i = 0; i < 4; i++)
		more[i] = socket(AF_UNIX, kind | SOCK_NONBLOCK, 0), polled(more[i]), say(connect(more[i], (void *)&name, sizeof name)), polled(more[i]), say(connect(more[i], (void *)&name, sizeof name));
	polled(listener), say((accepted = accept(listener, NULL, NULL)) >= 0), polled(accepted), say(connect(more[2], (void *)&name, sizeof name)), polled(more[2]);
	more[4] = socket(AF_UNIX, kind, 0), setsockopt(more[4], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ 0, 20000 }, sizeof(struct timeval)), say(connect(more[4], (void *)&name, sizeof name));
	for (int how = 0; how < 3; how++)
		say(shutdown(listener, how)), polled(listener), say((accepted = accept(listener, NULL, NULL)) < 0 ? -1 : 0), more[5] = socket(AF_UNIX, kind | SOCK_NONBLOCK, 0), say(connect(more[5], (void *)&name, sizeof name)), close(more[5]);
	fcntl(listener, F_SETFL, 0), say(accept(listener, NULL, NULL) < 0 ? -1 : 0), close(listener), say(connect(more[3], (void *)&name, sizeof name));
	for (int i = 0; i < 5; i++)
		polled(more[i]), say(read(more[i], bytes, 1)), close(more[i]);
}

static void connections(int family)
{
	int listener = socket(family, SOCK_STREAM, 0), one = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0), two, error;
	struct sockaddr_in6 name = loopback(family, 0);
	socklen_t size = size_of(family), length = sizeof error;
	char address[64];

	printf("\nconnections %d:", family);
	polled(listener), bind(listener, (void *)&name, size), listen(listener, 5), polled(listener), name = loopback(family, port_of(listener));
	say(connect(one, (void *)&name, size)), usleep(10000), polled(one), say(getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &length)), say(error), say(connect(one, (void *)&name, size)), say(connect(one, (void *)&name, size));
	length = 3, say((two = accept(listener, (void *)address, &length)) >= 0), say(length), length = sizeof address, say(getpeername(two, (void *)address, &length)), say(length);
	say(send(one, "oob", 3, MSG_DONTWAIT)), say(ioctl(two, FIONREAD, &error)), say(error);
	length = sizeof address, say(recvfrom(two, bytes, 2, 0, (void *)address, &length)), say(length), say(recv(two, bytes, 5, MSG_WAITALL | MSG_DONTWAIT)), polled(two);
	say(shutdown(one, SHUT_WR)), usleep(10000), polled(two), polled(one), say(recv(two, bytes, 5, 0)), say(send(two, bytes, 10, 0)), usleep(10000), say(recv(one, bytes, 4, MSG_PEEK)), say(recv(one, bytes, 4, MSG_TRUNC)), say(recv(one, bytes, 100, 0)), say(send(one, "x", 1, MSG_NOSIGNAL));
	say(shutdown(two, SHUT_RD)), polled(two), say(shutdown(two, SHUT_RDWR)), usleep(10000), polled(two), polled(one), say(recv(one, bytes, 1, 0)), close(two), polled(one), close(one);
	one = socket(family, SOCK_STREAM, 0), say(shutdown(one, SHUT_RD)), polled(one), say(connect(one, (void *)&name, size)), two = accept(listener, NULL, NULL), write(two, "abc", 3), usleep(10000), close(one), usleep(10000), polled(two), say(send(two, "x", 1, MSG_NOSIGNAL) < 0), close(two);
	say(shutdown(listener, SHUT_RD)), polled(listener), say(listen(listener, 5)), polled(listener), say(connect(listener, (void *)&name, size)), close(listener);
	one = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0), say(connect(one, (void *)&name, size)), usleep(10000), polled(one), error = 5, length = sizeof error, say(getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &length)), say(error), say(getsockopt(one, SOL_SOCKET, SO_ERROR, &error, &length)), say(error), close(one);
	one = socket(family, SOCK_STREAM, 0), say(connect(one, (void *)&name, size)), polled(one), say(read(one, bytes, 1)), say(send(one, "x", 1, MSG_NOSIGNAL)), close(one);
}

static void datagrams(int family)
{
	int from = socket(family, SOCK_DGRAM, 0), to = socket(family, SOCK_DGRAM | SOCK_NONBLOCK, 0), error, count = 0;
	struct sockaddr_in6 name = loopback(family, 0), source;
	socklen_t size = size_of(family), length;

	printf("\ndatagrams %d:", family);
	polled(from), say(write(from, "x", 1)), say(bind(to, (void *)&name, size)), name = loopback(family, port_of(to)), polled(to);
	say(sendto(from, "first", 5, 0, (void *)&name, size)), say(connect(from, (void *)&name, size)), say(write(from, "second", 6)), say(write(from, "", 0)), say(write(from, "third", 5)), usleep(10000);
	say(ioctl(to, FIONREAD, &error)), say(error), length = 5, say(recvfrom(to, bytes, 3, MSG_PEEK, (void *)&source, &length)), say(length), length = sizeof source, say(recvfrom(to, bytes, 3, MSG_TRUNC, (void *)&source, &length)), say(length), say(source.sin6_port == port_of(from));
	say(ioctl(to, FIONREAD, &error)), say(error), say(read(to, bytes, 100)), say(read(to, bytes, 100)), polled(to), say(recv(to, bytes, 2, 0)), say(read(to, bytes, 1)), polled(to);
	say(shutdown(to, SHUT_RD)), polled(to), say(recv(to, bytes, 2, 0)), say(shutdown(from, SHUT_WR)), say(send(from, "x", 1, MSG_NOSIGNAL)), polled(from);
	close(from), from = socket(family, SOCK_DGRAM | SOCK_NONBLOCK, 0), close(to), say(connect(from, (void *)&name, size)), say(write(from, "nobody", 6)), usleep(10000), polled(from), say(write(from, "x", 1)), say(write(from, "x", 1)), usleep(10000), length = sizeof error, say(getsockopt(from, SOL_SOCKET, SO_ERROR, &error, &length)), say(error), polled(from), say(send(from, "x", 1, 0)), usleep(10000), say(read(from, bytes, 1)), say(read(from, bytes, 1)), say(sendto(from, "unbound", 7, 0, (void *)&name, size)), usleep(10000), say(read(from, bytes, 1));
	to = socket(family, SOCK_DGRAM | SOCK_NONBLOCK, 0), bind(to, (void *)&name, size), setsockopt(to, SOL_SOCKET, SO_RCVBUF, &(int){ 4000 }, 4), close(from), from = socket(family, SOCK_DGRAM | SOCK_NONBLOCK, 0), connect(from, (void *)&name, size);
	for (int i = 0; i < 300; i++)
		count += write(from, bytes, 1000) == 1000;
	say(count), count = 0, usleep(10000);
	while (read(to, bytes, 2000) == 1000)
		count++;
	say(count > 1 && count < 300), say(write(from, bytes, 65508)), say(sendto(from, bytes, 65507, 0, (void *)&name, size));
	close(to), close(from);
}

static void passing(void)
{
	int pair[2], received[3] = { -1, -1, -1 };
	char room[CMSG_SPACE(3 * sizeof(int))], small[CMSG_SPACE(sizeof(int))];
	struct iovec vector = { bytes, 10 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	struct cmsghdr *control;
	struct stat status, other;

	printf("\nfiles on their way:");
	for (int kind = SOCK_STREAM; kind <= SOCK_DGRAM; kind++) {
		socketpair(AF_UNIX, kind | SOCK_NONBLOCK, 0, pair);
		for (int i = 0; i < 4; i++) {
			message.msg_control = room, message.msg_controllen = sizeof room, control = CMSG_FIRSTHDR(&message);
			control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = CMSG_LEN((i + 1) % 4 * sizeof(int));
			int files[3] = { open(".", O_RDONLY), open("/dev/null", O_RDONLY), dup(0) };
			memcpy(CMSG_DATA(control), files, sizeof files), message.msg_controllen = CMSG_SPACE((i + 1) % 4 * sizeof(int));
			vector.iov_len = 3, say(sendmsg(pair[0], &message, 0));
			close(files[0]), close(files[1]), close(files[2]);
		}
		say(write(pair[0], "plain", 5));
		for (int i = 0; i < 8; i++) {
			char *at = i == 1 ? small : room;
			vector.iov_len = i == 2 ? 2 : 100, message.msg_control = at, message.msg_controllen = i == 1 ? sizeof small : i == 5 ? 0 : sizeof room, message.msg_flags = -1;
			long size = recvmsg(pair[1], &message, i == 0 || i == 3 ? MSG_PEEK : i == 4 ? MSG_CMSG_CLOEXEC : 0);
			say(size);
			if (size < 0)
				continue;
			printf(" %lx %lx", (long)message.msg_flags & 0xffffffff, (long)message.msg_controllen);
			for (control = CMSG_FIRSTHDR(&message); control; control = CMSG_NXTHDR(&message, control)) {
				int count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
				memcpy(received, CMSG_DATA(control), count * sizeof(int));
				for (int f = 0; f < count; f++)
					say(fstat(received[f], &status)), say(status.st_mode & S_IFMT), say(fcntl(received[f], F_GETFD)), close(received[f]);
			}
		}
		close(pair[0]), close(pair[1]);
	}
	/* what nobody receives is closed with the socket, or with its last message that is read without it */
	for (int how = 0; how < 4; how++) {
		int ends[2], file;
		pipe(ends), socketpair(AF_UNIX, how == 3 ? SOCK_DGRAM : SOCK_STREAM, 0, pair);
		vector.iov_len = 3, message.msg_control = small, message.msg_controllen = sizeof small, control = CMSG_FIRSTHDR(&message), control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = CMSG_LEN(sizeof(int)), memcpy(CMSG_DATA(control), ends + 1, sizeof(int));
		say(sendmsg(pair[0], &message, 0)), close(ends[1]), fcntl(ends[0], F_SETFL, O_NONBLOCK), say(read(ends[0], bytes, 1));
		if (how == 0)
			close(pair[1]);
		if (how == 1 || how == 3)
			say(read(pair[1], bytes, 100));
		if (how == 2)
			message.msg_controllen = 0, say(recvmsg(pair[1], &message, 0)), say(message.msg_flags & MSG_CTRUNC);
		say(read(ends[0], bytes, 1)), close(ends[0]), close(pair[0]), how ? close(pair[1]) : 0;
	}
}

/* Control messages of each length, level and kind, one and two of them. */
static void controls(void)
{
	static char room[2048];
	int pair[2], on = 1, many[254], got;
	struct iovec vector = { bytes, 4 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = room };
	struct cmsghdr *control = (struct cmsghdr *)room;

	printf("\ncontrols:");
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair);
	for (int length = 0; length < (int)CMSG_LEN(8) + 2; length++) {
		static const int sizes[] = { 0, 1, 7, 8, 11, 12, 15, 16, 17, 20, 24, 28, 32 };
		for (int i = 0; i < 13; i += 1 + (length % 4 != 0) * 4) {
			memset(room, 0, sizeof room), control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = length, message.msg_controllen = sizes[i];
			say(sendmsg(pair[0], &message, 0)), recv(pair[1], bytes, 4, 0);
		}
	}
	printf("\nkinds:");
	for (int level = 0; level < 3; level++)
		for (int kind = 0; kind < 5; kind++) {
			memset(room, 0, sizeof room), control->cmsg_level = level, control->cmsg_type = kind, control->cmsg_len = message.msg_controllen = CMSG_LEN(4);
			say(sendmsg(pair[0], &message, 0)), recv(pair[1], bytes, 4, 0);
		}
	for (int second = 0; second < 4; second++) { /* one behind another, with files, credentials, or something else */
		struct ucred who = { getpid(), getuid(), getgid() };
		memset(room, 0, sizeof room), control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = CMSG_LEN(4), message.msg_controllen = CMSG_SPACE(4) + CMSG_SPACE(sizeof who);
		struct cmsghdr *next = (struct cmsghdr *)(room + CMSG_SPACE(4));
		next->cmsg_level = second == 3 ? 7 : SOL_SOCKET, next->cmsg_type = second == 1 ? SCM_CREDENTIALS : SCM_RIGHTS, next->cmsg_len = second == 2 ? CMSG_LEN(8) : CMSG_LEN(sizeof who), second == 1 ? memcpy(CMSG_DATA(next), &who, sizeof who) : 0;
		say(sendmsg(pair[0], &message, 0));
		long size = (memset(room, 0, sizeof room), message.msg_controllen = sizeof room, recvmsg(pair[1], &message, 0));
		say(size), size > 0 ? say(message.msg_controllen) : 0;
		for (struct cmsghdr *each = size > 0 ? CMSG_FIRSTHDR(&message) : NULL; each; each = CMSG_NXTHDR(&message, each))
			for (int f = 0; f < (int)((each->cmsg_len - CMSG_LEN(0)) / 4); f++)
				memcpy(&got, CMSG_DATA(each) + 4 * f, 4), close(got);
	}
	printf("\nmany:");
	for (int count = 252; count < 255; count++) {
		memset(many, 0, sizeof many), memset(room, 0, sizeof room), control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = message.msg_controllen = CMSG_LEN(4 * count), memcpy(CMSG_DATA(control), many, 4 * count);
		say(sendmsg(pair[0], &message, 0));
		long size = (message.msg_controllen = sizeof room, recvmsg(pair[1], &message, 0));
		say(size), size > 0 ? say(message.msg_controllen) : 0;
		for (int f = 0; size > 0 && f < count; f++)
			memcpy(&got, CMSG_DATA(control) + 4 * f, 4), close(got);
	}
	printf("\nrooms:"); /* for credentials and a file */
	setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, 4);
	for (int size = 0; size < 64; size += size % 8 ? 3 : 1 + 3 * (size > 40)) {
		memset(room, 0, sizeof room), control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = message.msg_controllen = CMSG_LEN(4), sendmsg(pair[0], &message, 0);
		message.msg_controllen = size, memset(room, 0, sizeof room), say(recvmsg(pair[1], &message, 0)), printf(" %x %d", message.msg_flags, (int)message.msg_controllen);
		for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
			printf(":%d,%d", each->cmsg_type, (int)each->cmsg_len);
			if (each->cmsg_type == SCM_RIGHTS && each->cmsg_len >= CMSG_LEN(4))
				memcpy(&got, CMSG_DATA(each), 4), close(got);
		}
	}
	close(pair[0]), close(pair[1]);
}

static void parts(void)
{
	int pair[2], status, sent;

	printf("\nparts:");
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair), setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ 0, 10000 }, sizeof(struct timeval)), setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 0, 10000 }, sizeof(struct timeval));
	say(recv(pair[1], bytes, 1, 0)), sent = send(pair[0], bytes, sizeof bytes, 0), say(sent > 0 && sent < (int)sizeof bytes), say(send(pair[0], bytes, 10, 0)), polled(pair[0]), polled(pair[1]), say(recv(pair[1], bytes, sizeof bytes, MSG_WAITALL) == sent), say(recv(pair[1], bytes, 5, MSG_WAITALL)), close(pair[0]), close(pair[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	pid_t child = fork();
	if (!child) {
		write(pair[0], "abc", 3), usleep(10000), write(pair[0], "defg", 4), usleep(10000), write(pair[0], "hi", 2), usleep(10000), _exit(0);
	}
	say(recv(pair[1], bytes, 6, MSG_WAITALL)), say(recv(pair[1], bytes, 3, MSG_WAITALL)), printf(" %.3s", bytes), waitpid(child, &status, 0), close(pair[0]), say(recv(pair[1], bytes, 3, MSG_WAITALL)), close(pair[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair), write(pair[0], "ab", 2), write(pair[0], "cdef", 4), write(pair[0], "g", 1), say(read(pair[1], bytes, 2)), say(recv(pair[1], bytes, 2, MSG_PEEK)), say(read(pair[1], bytes, 5)), printf(" %.5s", bytes), close(pair[0]), close(pair[1]);
	for (int on = 0; on < 2; on++) { /* parts of different senders do not go together where those are told */
		socketpair(AF_UNIX, SOCK_STREAM, 0, pair), setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, 4), write(pair[0], "mine", 4);
		if (!(child = fork()))
			write(pair[0], "child", 5), _exit(0);
		waitpid(child, &status, 0), say(read(pair[1], bytes, 100)), fcntl(pair[1], F_SETFL, O_NONBLOCK), say(read(pair[1], bytes, 100)), close(pair[0]), close(pair[1]);
	}
	socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), say(write(pair[0], "abcdef", 6)), say(write(pair[0], "", 0)), say(write(pair[0], "gh", 2)), say(recv(pair[1], bytes, 3, MSG_PEEK | MSG_TRUNC)), say(recv(pair[1], bytes, 3, 0)), say(read(pair[1], bytes, 9)), say(read(pair[1], bytes, 9)), say(read(pair[1], bytes, 9)), say(shutdown(pair[1], SHUT_RD)), polled(pair[0]), polled(pair[1]), say(send(pair[0], "x", 1, MSG_NOSIGNAL)), close(pair[1]), polled(pair[0]), say(read(pair[0], bytes, 1)), close(pair[0]);
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair), say(shutdown(pair[1], SHUT_RD)), polled(pair[0]), polled(pair[1]), say(send(pair[0], "x", 1, MSG_NOSIGNAL)), say(read(pair[1], bytes, 1)), close(pair[1]), polled(pair[0]), say(send(pair[0], "x", 1, MSG_NOSIGNAL)), say(send(pair[0], "x", 1, MSG_NOSIGNAL)), say(read(pair[0], bytes, 1)), close(pair[0]);
}

static void names(void)
{
	struct sockaddr_un name = path_of("to"), source;
	socklen_t size;
	int to = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), from = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), on = 1, limited[2];
	struct iovec vector = { bytes, 10 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_name = &source };

	printf("\nnames:");
	unlink("to"), say(bind(to, (void *)&name, sizeof name)), say(sendto(from, "one", 3, 0, (void *)&name, sizeof name)), say(setsockopt(from, SOL_SOCKET, SO_PASSCRED, &on, 4)), size = 4, say(getsockopt(from, SOL_SOCKET, SO_PASSCRED, &on, &size)), say(on), say(sendto(from, "two", 3, 0, (void *)&name, sizeof name)), on = 0, say(setsockopt(from, SOL_SOCKET, SO_PASSCRED, &on, 4)), on = 7, say(getsockopt(from, SOL_SOCKET, SO_PASSCRED, &on, &size)), say(on);
	for (int i = 0; i < 3; i++) {
		memset(&source, 0x55, sizeof source), size = i == 2 ? 1 : sizeof source, say(recvfrom(to, bytes, 10, i == 1 ? MSG_PEEK : 0, (void *)&source, &size)), say(size), say(i == 1 ? source.sun_path[0] : 0);
		if (i == 0)
			size = sizeof source, say(getsockname(from, (void *)&source, &size)), say(size), size = 2, say(getsockname(to, (void *)&source, &size)), say(size);
	}
	say(sendto(from, "three", 5, 0, (void *)&name, sizeof name)), message.msg_namelen = 3, memset(&source, 0x55, sizeof source), say(recvmsg(to, &message, 0)), say(message.msg_namelen), say(source.sun_family), say(source.sun_path[1] == 0x55);
	int pair[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair), write(pair[0], "xy", 2), message.msg_namelen = sizeof source, say(recvmsg(pair[1], &message, 0)), say(message.msg_namelen), write(pair[0], "xy", 2), size = sizeof source, say(recvfrom(pair[1], bytes, 2, 0, (void *)&source, &size)), say(size), write(pair[0], "xy", 2), say(recvfrom(pair[1], bytes, 2, 0, (void *)&source, NULL)), write(pair[0], "xy", 2), say(recvfrom(pair[1], bytes, 2, 0, (void *)&source, BAD));
	for (int left = 0; left < 3; left++) { /* as many descriptors as there are left */
		int first = dup(0);
		close(first);
		struct rlimit limit = { first + left, 100 };
		fflush(stdout);
		if (!fork()) {
			say(setrlimit(RLIMIT_NOFILE, &limit)), limited[0] = limited[1] = -1, say(socketpair(AF_UNIX, SOCK_STREAM, 0, limited)), say(limited[0] == -1), say(pipe(limited)), say(limited[0] == -1), say(socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? -1 : 0), say(open(".", O_RDONLY) < 0 ? -1 : 0), say(dup(0) < 0 ? -1 : 0), say(fcntl(0, F_DUPFD, first + left)), say(dup2(0, first + left)), say(dup3(0, first + left, 0)), say(dup2(0, first + left - 1) >= 0);
			fflush(stdout), _exit(0);
		}
		wait(NULL);
	}
}

/* The columns of a socket in a file of /proc/net, but for its place, what it is at, and its number of users. */
static void listed(const char *file, int fd)
{
	char line[256], local[64], remote[64], queues[32], timer[32], retransmitted[32];
	unsigned state, uid, timeout;
	unsigned long inode;
	struct stat node;
	FILE *lines = fopen(file, "r");

	fstat(fd, &node);
	while (fgets(line, sizeof line, lines))
		if (sscanf(line, " %*d: %63s %63s %x %31s %31s %31s %u %u %lu", local, remote, &state, queues, timer,
		           retransmitted, &uid, &timeout, &inode) == 9 && inode == node.st_ino)
			printf(" %.*s %.*s %x %s %s %d", (int)strcspn(local, ":"), local, (int)strcspn(remote, ":"), remote,
			       state, queues, retransmitted, uid == getuid());
		else if (sscanf(line, "%*x: %*x %*x %31s %31s %x %lu %63s", queues, timer, &state, &inode, local) == 5
		         && inode == node.st_ino)
			printf(" %s %s %d %s", queues, timer, state, local);
	fclose(lines);
}

static void tables(int family)
{
	const char *tcp = family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6";
	int listening = socket(family, SOCK_STREAM, 0), other = socket(family, SOCK_STREAM, 0), accepted, word = -1;
	int unbound = socket(family, SOCK_DGRAM, 0);
	struct sockaddr_in6 name;
	socklen_t size = sizeof name;

	listen(listening, 5);
	listed(tcp, listening);
	getsockname(listening, (void *)&name, &size);
	connect(other, (void *)&name, size);
	listed(tcp, listening);
	say(ioctl(listening, SIOCOUTQ, &word)), say(ioctl(listening, SIOCINQ, &word));
	accepted = accept(listening, NULL, NULL);
	write(other, "five", 5);
	listed(tcp, other), listed(tcp, accepted);
	say(ioctl(accepted, SIOCINQ, &word)), say(word), say(ioctl(other, SIOCOUTQ, &word)), say(word);
	close(other);
	listed(tcp, accepted);
	listed(family == AF_INET ? "/proc/net/udp" : "/proc/net/udp6", unbound);
	connect(unbound, (void *)&name, size);
	listed(family == AF_INET ? "/proc/net/udp" : "/proc/net/udp6", unbound);
	close(listening), close(accepted), close(unbound);
}

/* What a socket tells of the loopback interface, and what waits in pairs. */
static void interfaces(int family)
{
	static const int asked[] = { SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFDSTADDR, SIOCGIFBRDADDR, SIOCGIFNETMASK,
	                             SIOCGIFMETRIC, SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX, SIOCGIFTXQLEN, SIOCGIFMAP };
	struct ifreq request = { .ifr_name = "nothere" }, several[9];
	struct ifconf all = { .ifc_len = sizeof several, .ifc_req = several };
	int fd = socket(family, SOCK_DGRAM, 0);

	for (int i = 0; i < (int)(sizeof asked / sizeof *asked); i++) {
		say(ioctl(fd, asked[i], &request));
		request = (struct ifreq){ .ifr_name = "lo" };
		say(ioctl(fd, asked[i], &request));
		for (int at = 0; at < 16; at++)
			printf("%02x", ((unsigned char *)&request.ifr_addr)[at]);
		strcpy(request.ifr_name, "nothere");
	}
	request.ifr_ifindex = 1;
	say(ioctl(fd, SIOCGIFNAME, &request));
	request.ifr_ifindex = 1 << 20;
	printf(" %s", request.ifr_name), say(ioctl(fd, SIOCGIFNAME, &request)), say(ioctl(fd, SIOCGIFNAME, BAD));
	say(ioctl(fd, SIOCGIFCONF, &all)), say(all.ifc_len > 0), printf(" %s", several[0].ifr_name);
	all.ifc_len = 1;
	say(ioctl(fd, SIOCGIFCONF, &all)), say(all.ifc_len);
	all.ifc_buf = NULL;
	say(ioctl(fd, SIOCGIFCONF, &all)), say(all.ifc_len > 0);
	close(fd);
}

static void local_queues(int kind)
{
	int pair[2], word = -1, named = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un name = { AF_UNIX, "\0listed" };

	socketpair(AF_UNIX, kind, 0, pair);
	for (int size = 1; size < 6000; size *= 18) {
		write(pair[0], bytes, size);
		ioctl(pair[0], SIOCOUTQ, &word), say(word);
		read(pair[1], bytes, sizeof bytes);
		ioctl(pair[0], SIOCOUTQ, &word), say(word);
	}
	bind(named, (void *)&name, sizeof name.sun_family + 7);
	listed("/proc/net/unix", named);
	listen(named, 3);
	listed("/proc/net/unix", named);
	say(ioctl(named, SIOCINQ, &word)), say(ioctl(named, SIOCOUTQ, &word));
	close(pair[0]), close(pair[1]), close(named);
}

/* What is too long, too much, or no option. */
static void refused(int family)
{
	static char bytes[70000];
	static struct iovec parts[1025];
	int from = socket(family, SOCK_DGRAM, 0), to = socket(family, SOCK_DGRAM, 0), stream, accepted, one = 1, less = -1;
	struct sockaddr_in6 name = loopback(family, 0);
	socklen_t size = sizeof name;
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 1025 };
	int largest = family == AF_INET ? 65507 : 65527;

	say(bind(to, (void *)&name, size)), getsockname(to, (void *)&name, &size);
	say(sendto(from, bytes, largest + 1, 0, (void *)&name, size)), say(sendto(from, bytes, 70000, 0, (void *)&name, size));
	say(sendto(from, bytes, largest, 0, (void *)&name, size)), say(recv(to, bytes, sizeof bytes, 0));
	say(sendmsg(from, &message, 0)), say(recvmsg(to, &message, 0)), say(recv(to, bytes, 1, MSG_ERRQUEUE));
	say(socket(family, SOCK_RAW, 0)), stream = socket(family, SOCK_STREAM, 0), listen(stream, 1);
	size = sizeof name, getsockname(stream, (void *)&name, &size);
	accepted = socket(family, SOCK_STREAM, 0), say(connect(accepted, (void *)&name, size));
	say(setsockopt(accepted, IPPROTO_TCP, -1, &one, sizeof one)), size = sizeof one;
	say(getsockopt(accepted, IPPROTO_TCP, -1, &one, &size)), say(recv(accepted, bytes, 1, MSG_ERRQUEUE));
	from = accept(stream, NULL, NULL), say(send(from, "a", 1, 0));
	say(recvfrom(accepted, bytes, 1, 0, (void *)&name, (socklen_t *)&less)), close(from), close(accepted), close(to);
	close(stream), putchar('\n');
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	signal(SIGPIPE, SIG_IGN);
	full_queues(SOCK_STREAM), full_queues(SOCK_SEQPACKET);
	connections(AF_INET), connections(AF_INET6);
	datagrams(AF_INET), datagrams(AF_INET6);
	passing();
	controls();
	parts();
	names();
	tables(AF_INET), tables(AF_INET6);
	interfaces(AF_UNIX), interfaces(AF_INET), interfaces(AF_INET6);
	local_queues(SOCK_STREAM), local_queues(SOCK_DGRAM);
	refused(AF_INET), refused(AF_INET6);
	putchar('\n');
	return 0;
}
