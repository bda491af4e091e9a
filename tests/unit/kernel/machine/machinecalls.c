/* Calls whose answers are the machine's own: the first word tells which. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s %s\n", what, result < 0 ? strerror(errno) : result == 1 ? "yes" : "no");
}

static struct sockaddr_in to(const char *where, int port)
{
	struct sockaddr_in name = { AF_INET, htons(port) };
	inet_aton(where, &name.sin_addr);
	return name;
}

static void networks(void)
{
	struct sockaddr_in far = to("10.1.2.3", 80), near = to("127.0.0.1", 80), high = to("127.0.0.1", 1024);
	int stream = socket(AF_INET, SOCK_STREAM, 0), datagram = socket(AF_INET, SOCK_DGRAM, 0);

	say("far stream", connect(stream, (void *)&far, sizeof far));
	say("far datagram", connect(datagram, (void *)&far, sizeof far));
	say("far message", sendto(datagram, "x", 1, 0, (void *)&far, sizeof far));
	say("far name", bind(stream, (void *)&far, sizeof far));
	fflush(stdout), close(stream), stream = socket(AF_INET, SOCK_STREAM, 0);
	if (!fork()) {
		setuid(1000), stream = socket(AF_INET, SOCK_STREAM, 0);
		say("low port", bind(stream, (void *)&near, sizeof near)), say("port", bind(stream, (void *)&high, sizeof high) + 1);
		fflush(stdout), _exit(0);
	}
	wait(NULL);
	say("root's low port", bind(stream, (void *)&near, sizeof near) + 1);
}

static void settings(void)
{
	struct utsname names;
	struct timespec now, set = { 2000000000, 5 };
	clock_t ticks = times(NULL);

	printf("%d %d\n", sethostname("here", 4), setdomainname("there", 5));
	uname(&names), printf("%s %s\n", names.nodename, names.domainname);
	printf("%d", clock_settime(CLOCK_REALTIME, &set)), clock_gettime(CLOCK_REALTIME, &now), printf(" %ld\n", (long)now.tv_sec);
	set.tv_sec = 3, say("other clock", clock_settime(CLOCK_MONOTONIC, &set)), say("no time", clock_settime(CLOCK_REALTIME, &(struct timespec){ 0, 1000000000 }));
	say("ticks", times(NULL) - ticks < 1000 ? 1 : 0);
}

static void processors(void)
{
	cpu_set_t one;
	unsigned cpu;

	for (int number = 0; number < 3; number++) {
		CPU_ZERO(&one);
		CPU_SET(number, &one);
		int result = sched_setaffinity(0, sizeof one, &one);
		getcpu(&cpu, NULL), printf("%s %u\n", result ? strerror(errno) : "on", cpu);
	}
}

static void usage(void)
{
	struct rusage used;
	int status;

	memset(&used, 0x55, sizeof used);
	if (!fork())
		_exit(0);
	syscall(SYS_wait4, -1, &status, 0, &used);
	printf("%ld %ld %ld %ld %ld\n", (long)used.ru_stime.tv_sec, used.ru_maxrss, used.ru_nvcsw, used.ru_nivcsw, used.ru_minflt);
}

/* What the host writes to standard input comes while the program waits. */
static void input(void)
{
	struct pollfd in = { 0, POLLIN };
	char bytes[9];
	int soon = poll(&in, 1, 5), now = poll(&in, 1, 0), ever;

	printf("%d %d\n", soon, now), fflush(stdout);
	ever = poll(&in, 1, -1);
	printf("%d %d %ld\n", ever, in.revents, (long)read(0, bytes, 1));
	long rest = read(open("/dev/stdin", O_RDONLY), bytes, 9);
	printf("%ld %d\n", rest, poll(&in, 1, 0));
}

/* Who may type into a terminal: Linux may be told to let nobody. */
static void typing(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char bytes[9] = { 0 };

	grantpt(master), unlockpt(master), slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	say("root", ioctl(slave, TIOCSTI, "a") + 1), say("nowhere", ioctl(slave, TIOCSTI, (void *)8)), fflush(stdout);
	if (!fork()) {
		setuid(1000), say("another", ioctl(slave, TIOCSTI, "b"));
		setsid(), ioctl(slave, TIOCSCTTY, 0), say("its own", ioctl(slave, TIOCSTI, "c") + 1), fflush(stdout), _exit(0);
	}
	wait(NULL), ioctl(slave, TIOCSTI, "\n"), say("typed", read(slave, bytes, 9) - 2), printf("%.2s\n", bytes);
}

int main(int count, char **words)
{
	switch (*words[1]) {
	case 'n': networks(); break;
	case 's': settings(); break;
	case 'p': processors(); break;
	case 't': typing(); break;
	case 'u': usage(); break;
	case 'i': input(); break;
	}
	return 0;
}
