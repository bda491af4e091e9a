/* How connections end: by FIN, by RST, before and after data; what each call says then. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#define SAY(call) do { errno = 0; long got = (call); printf("  %s: %ld %s\n", #call, got, got < 0 ? strerror(errno) : ""); } while (0)
static int ends[2], listener;
static struct sockaddr_in place;
static void make(const char *what)
{
	socklen_t size = sizeof place;
	printf("%s\n", what);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	connect(ends[0], (void *)&place, size);
	ends[1] = accept(listener, NULL, NULL);
}
static void look(int fd)
{
	struct sockaddr_in name; socklen_t size = sizeof name; char b[10]; int e = 0; socklen_t es = sizeof e;
	struct pollfd p = { fd, POLLIN | POLLOUT | POLLRDHUP };
	usleep(10000);
	poll(&p, 1, 0); printf("  poll %x\n", p.revents);
	SAY(getpeername(fd, (void *)&name, &size)); 
	SAY(getsockname(fd, (void *)&name, &size)); 
	SAY(send(fd, "", 0, 0));
	SAY(recv(fd, b, 2, MSG_DONTWAIT)); SAY(recv(fd, b, 9, MSG_DONTWAIT)); SAY(recv(fd, b, 9, MSG_DONTWAIT));
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &es); printf("  error %d\n", e);
	SAY(send(fd, "x", 1, 0)); usleep(1000); SAY(send(fd, "x", 1, 0)); SAY(send(fd, "x", 1, 0)); SAY(recv(fd, b, 9, MSG_DONTWAIT));
	SAY(shutdown(fd, 2)); SAY(getpeername(fd, (void *)&name, &size)); 
	close(fd);
}
static volatile int signals;
static void count(int number) { signals++; }
int main(void)
{
	struct linger now = { 1, 0 }; socklen_t size = sizeof place; char b[9];
	signal(SIGPIPE, count);
	setvbuf(stdout, NULL, _IONBF, 0);
	place = (struct sockaddr_in){ AF_INET, 0, { htonl(INADDR_LOOPBACK) } };
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (void *)&place, size), getsockname(listener, (void *)&place, &size), listen(listener, 5);
	make("reset with data"); send(ends[0], "abc", 3, 0), setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof now), close(ends[0]), look(ends[1]);
	make("reset without"); setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof now), close(ends[0]), look(ends[1]);
	make("closed with unread"); send(ends[1], "abc", 3, 0); usleep(1000); close(ends[0]), look(ends[1]);
	make("closed"); send(ends[0], "abc", 3, 0); close(ends[0]), look(ends[1]);
	make("shut"); send(ends[0], "abc", 3, 0); shutdown(ends[0], SHUT_WR), look(ends[1]); close(ends[0]);
	make("both shut"); shutdown(ends[0], SHUT_WR), shutdown(ends[1], SHUT_WR), look(ends[1]); look(ends[0]);
	make("blocked reader reset"); setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof now);
	if (!fork()) { close(ends[1]); usleep(20000); close(ends[0]); _exit(0); }
	close(ends[0]); SAY(recv(ends[1], b, 9, 0)); SAY(recv(ends[1], b, 9, 0));
	make("reset before accept"); close(ends[0]); close(ends[1]);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0); connect(ends[0], (void *)&place, size);
	setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof now); close(ends[0]); usleep(1000);
	SAY(ends[1] = accept(listener, NULL, NULL) >= 0 ? 1 : -1);
	for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++) {
		if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
			continue;
		printf("local, type %d\n", type), socketpair(AF_UNIX, type, 0, ends);
		send(ends[0], "abc", 3, 0), setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof now), close(ends[0]), look(ends[1]);
		socketpair(AF_UNIX, type, 0, ends), send(ends[1], "abc", 3, 0), close(ends[0]), look(ends[1]);
	}
	struct linger got = { 7, 7 };
	ends[0] = socket(AF_INET, SOCK_STREAM, 0), size = sizeof got;
	SAY(getsockopt(ends[0], SOL_SOCKET, SO_LINGER, &got, &size)); printf("  %d %d %d\n", got.l_onoff, got.l_linger, size);
	now = (struct linger){ 5, 9 };
	SAY(setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, 4));
	SAY(setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, 8));
	SAY(getsockopt(ends[0], SOL_SOCKET, SO_LINGER, &got, &size)); printf("  %d %d %d\n", got.l_onoff, got.l_linger, size);
	wait(NULL);
	printf("%d signals\n", signals);
	return 0;
}
