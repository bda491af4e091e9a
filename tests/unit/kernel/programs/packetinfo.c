/* What the receiver of a datagram is told of it by control messages, however much room it has. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <sys/un.h>
#include <unistd.h>

static int out, in;

static void show(struct msghdr *message, int room)
{
	char text[64];

	printf("  flags %x, used %d of %d", message->msg_flags, (int)message->msg_controllen, room);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		printf("; %d %d %d", c->cmsg_level, c->cmsg_type, (int)c->cmsg_len);
		if (c->cmsg_level == SOL_SOCKET) {
			printf(" %s", ((struct timeval *)CMSG_DATA(c))->tv_sec / 100000 == time(NULL) / 100000 ? "now" : "?");
			continue;
		}
		for (size_t i = 0; i < c->cmsg_len - CMSG_LEN(0); i++)
			printf(" %02x", CMSG_DATA(c)[i]);
	}
	putchar('\n');
}

static void receive(int room)
{
	char bytes[100], control[300];
	struct iovec vector = { bytes, sizeof bytes };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room };
	long got = recvmsg(in, &message, 0);

	printf(" got %ld", got), show(&message, room);
}

static void send_with(int level, int kind, const void *data, int size, struct sockaddr *to, socklen_t length)
{
	char bytes[] = "abc", control[100] = { 0 };
	struct iovec vector = { bytes, 3 };
	struct msghdr message = { to, length, &vector, 1, control, CMSG_SPACE(size) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	*c = (struct cmsghdr){ CMSG_LEN(size), level, kind }, memcpy(CMSG_DATA(c), data, size);
	long sent = sendmsg(out, &message, 0);
	printf(" sent %ld %s\n", sent, sent < 0 ? strerror(errno) : "");
	if (sent >= 0)
		receive(300);
}

int main(void)
{
	struct sockaddr_in four = { AF_INET, 0, { htonl(INADDR_ANY) } };
	struct sockaddr_in6 six = { AF_INET6, 0, 0, IN6ADDR_ANY_INIT };
	socklen_t size;
	int on = 1, value;

	puts("IPv4"), out = socket(AF_INET, SOCK_DGRAM, 0), in = socket(AF_INET, SOCK_DGRAM, 0), size = sizeof four;
	bind(in, (void *)&four, size), getsockname(in, (void *)&four, &size), inet_aton("127.0.0.3", &four.sin_addr);
	sendto(out, "a", 1, 0, (void *)&four, size), receive(300);
	setsockopt(in, SOL_IP, IP_PKTINFO, &on, 4), setsockopt(in, SOL_IP, IP_RECVTTL, &on, 4), setsockopt(in, SOL_IP, IP_RECVTOS, &on, 4);
	sendto(out, "a", 1, 0, (void *)&four, size), receive(300);
	for (int room = 0; room < 100; room += 7)
		sendto(out, "a", 1, 0, (void *)&four, size), receive(room);
	value = 9, setsockopt(out, SOL_IP, IP_TTL, &value, 4), value = 0x20, setsockopt(out, SOL_IP, IP_TOS, &value, 4);
	sendto(out, "a", 1, 0, (void *)&four, size), receive(300);
	value = 3, send_with(SOL_IP, IP_TTL, &value, 4, (void *)&four, size);
	value = 300, send_with(SOL_IP, IP_TTL, &value, 4, (void *)&four, size);
	value = 0x40, send_with(SOL_IP, IP_TOS, &value, 4, (void *)&four, size);
	setsockopt(in, SOL_SOCKET, SO_TIMESTAMP, &on, 4), sendto(out, "a", 1, 0, (void *)&four, size), receive(300);
	setsockopt(in, SOL_SOCKET, SO_TIMESTAMPNS, &on, 4), sendto(out, "a", 1, 0, (void *)&four, size), receive(300);
	puts("IPv6"), out = socket(AF_INET6, SOCK_DGRAM, 0), in = socket(AF_INET6, SOCK_DGRAM, 0), size = sizeof six;
	bind(in, (void *)&six, size), getsockname(in, (void *)&six, &size), six.sin6_addr = in6addr_loopback;
	setsockopt(in, SOL_IPV6, IPV6_RECVPKTINFO, &on, 4), setsockopt(in, SOL_IPV6, IPV6_RECVHOPLIMIT, &on, 4);
	setsockopt(in, SOL_IPV6, IPV6_RECVTCLASS, &on, 4);
	sendto(out, "a", 1, 0, (void *)&six, size), receive(300);
	value = 9, setsockopt(out, SOL_IPV6, IPV6_UNICAST_HOPS, &value, 4), value = 7, setsockopt(out, SOL_IPV6, IPV6_TCLASS, &value, 4);
	sendto(out, "a", 1, 0, (void *)&six, size), receive(300);
	value = 2, send_with(SOL_IPV6, IPV6_HOPLIMIT, &value, 4, (void *)&six, size);
	value = -1, send_with(SOL_IPV6, IPV6_HOPLIMIT, &value, 4, (void *)&six, size);
	value = -2, send_with(SOL_IPV6, IPV6_HOPLIMIT, &value, 4, (void *)&six, size);
	value = 256, send_with(SOL_IPV6, IPV6_TCLASS, &value, 4, (void *)&six, size);
	value = 5, send_with(SOL_IPV6, IPV6_TCLASS, &value, 4, (void *)&six, size);
	value = 5, send_with(SOL_IPV6, IPV6_TCLASS, &value, 2, (void *)&six, size);
	int pair[2];
	puts("local"), socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), in = pair[0], setsockopt(in, SOL_SOCKET, SO_TIMESTAMP, &on, 4), send(pair[1], "a", 1, 0), receive(300);
	return 0;
}
