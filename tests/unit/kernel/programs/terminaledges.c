/* A terminal at its edges: lines in parts, modes that change, what is full, hung up or locked, who may control it. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "say.h"

static int master, slave;

static void polled(int fd)
{
	struct pollfd one = { fd, POLLIN | POLLOUT | POLLPRI | POLLRDNORM | POLLWRNORM };

	poll(&one, 1, 0);
	printf(" [%x]", one.revents);
}

/* let a kernel's worker bring what was written */
static void settle(void)
{
	usleep(12000);
}

static void parts(int fd, int size)
{
	char bytes[64];
	long got = read(fd, bytes, size);

	say(got);
	if (got > 0)
		printf(" \"%.*s\"", (int)got, bytes);
}

static void opened(void)
{
	master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	grantpt(master), unlockpt(master);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK);
}

static void mode(int canonical, int least, int tenths)
{
	struct termios modes;

	tcgetattr(slave, &modes);
	modes.c_lflag = (modes.c_lflag & ~(ICANON | ECHO)) | (canonical ? ICANON : 0);
	modes.c_cc[VMIN] = canonical ? 4 : least, modes.c_cc[VTIME] = canonical ? 0 : tenths; /* VEOF and VEOL are others */
	if (canonical)
		modes.c_cc[VEOF] = 4;
	tcsetattr(slave, TCSANOW, &modes);
}

static void reading(void)
{
	int waiting;

	opened();
	printf("parts of a line:");
	mode(1, 0, 0), polled(slave), write(master, "abcdefgh\nsecond\nhalf", 20), settle(), polled(slave), say(ioctl(slave, FIONREAD, &waiting)), say(waiting);
	parts(slave, 3), parts(slave, 3), parts(slave, 0), polled(slave), parts(slave, 30), parts(slave, 30), polled(slave), parts(slave, 30), say(ioctl(slave, FIONREAD, &waiting)), say(waiting);
	mode(0, 1, 0), polled(slave), parts(slave, 2), mode(1, 0, 0), settle(), polled(slave), parts(slave, 30), parts(slave, 30);
	printf("\nleast and time:");
	for (int least = 0; least < 4; least++)
		for (int tenths = 0; tenths < 2; tenths++) {
			mode(0, least, tenths), tcflush(slave, TCIFLUSH), polled(slave), parts(slave, 9);
			for (int i = 0; i < 3; i++)
				write(master, "xyz" + i, 1), settle(), polled(slave);
			parts(slave, 1), polled(slave), parts(slave, 9), polled(slave);
		}
	fcntl(slave, F_SETFL, 0), mode(0, 3, 1), write(master, "ab", 2), settle(), parts(slave, 9), mode(0, 0, 1), parts(slave, 9), mode(0, 2, 1), write(master, "abc", 3), settle(), parts(slave, 9), parts(slave, 0);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	printf("\nmaster:");
	polled(master), parts(master, 9), write(slave, "out\n", 4), settle(), polled(master), say(ioctl(master, FIONREAD, &waiting)), say(waiting), parts(master, 0), parts(master, 2), parts(master, 9), polled(master), say(write(master, "", 0)), say(write(slave, "", 0));
	close(slave), settle(), polled(master), parts(master, 9), slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK), polled(master), parts(master, 9), write(slave, "left", 4), close(slave), settle(), polled(master), parts(master, 9), parts(master, 9);
	close(master), putchar('\n');
}

static void locked(void)
{
	int here = posix_openpt(O_RDWR | O_NOCTTY), lock = 5, there;

	printf("locked:");
	say(ioctl(here, TIOCGPTLCK, &lock)), say(lock), say(open(ptsname(here), O_RDWR | O_NOCTTY)), lock = 0, say(ioctl(here, TIOCSPTLCK, &lock)), lock = 5, say(ioctl(here, TIOCGPTLCK, &lock)), say(lock), say((there = open(ptsname(here), O_RDWR | O_NOCTTY)) >= 0), lock = 3, say(ioctl(here, TIOCSPTLCK, &lock)), say(ioctl(here, TIOCGPTLCK, &lock)), say(lock), say(open(ptsname(here), O_RDWR | O_NOCTTY)), say(ioctl(there, TIOCGPTLCK, &lock)), say(ioctl(there, TIOCSPTLCK, &lock));
	lock = 0, ioctl(here, TIOCSPTLCK, &lock);
	int peer = ioctl(here, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	say(peer >= 0), say(fcntl(peer, F_GETFD)), say(fcntl(peer, F_GETFL) & O_ACCMODE), close(peer), peer = ioctl(here, TIOCGPTPEER, O_RDONLY | O_NOCTTY), say(fcntl(peer, F_GETFD)), say(fcntl(peer, F_GETFL) & O_ACCMODE), say(ioctl(there, TIOCGPTPEER, 0));
	say(isatty(here)), say(isatty(there)), say(ioctl(here, TIOCGWINSZ, 8)), say(ioctl(here, 0x54ff, &lock)), say(ioctl(there, 0x54ff, &lock)), say(lseek(there, 0, SEEK_SET)), say(pread(there, &lock, 1, 0)), say(ftruncate(there, 0));
	close(here), settle(), polled(there), parts(there, 9), say(write(there, "x", 1)), say(ioctl(there, TIOCGWINSZ, &lock) < 0 ? -1 : 0), polled(peer);
	close(there), close(peer), putchar('\n');
}

static void controlled(void)
{
	int status, number, over[2];
	char byte;

	opened(), fcntl(slave, F_SETFL, 0), pipe(over); /* who has spoken, or ended, tells so */
	printf("control:"), fflush(stdout);
	pid_t leader = fork();
	if (!leader) {
		setsid(), signal(SIGHUP, SIG_IGN), signal(SIGCONT, SIG_IGN), say(ioctl(slave, TIOCSCTTY, 0)), say(ioctl(master, TIOCGSID, &number)), say(number == getpid()), say(ioctl(master, TIOCGPGRP, &number)), say(number == getpid());
		fflush(stdout);
		pid_t stranger = fork();
		if (!stranger)
			setsid(), say(tcsetpgrp(slave, getpid())), fflush(stdout), write(over[1], "x", 1), pause(), _exit(0);
		read(over[0], &byte, 1), say(tcsetpgrp(slave, stranger)), kill(stranger, SIGKILL), waitpid(stranger, &status, 0), fflush(stdout);
		pid_t child = fork();
		if (!child) { /* a group that nobody of the session could continue */
			setpgid(0, 0);
			pid_t parent = getpid();
			if (fork())
				_exit(0);
			while (getppid() == parent)
				usleep(1000);
			say(getppid() != leader), parts(slave, 1), signal(SIGTTOU, SIG_DFL), say(tcsetpgrp(slave, getpgrp())), say(tcflush(slave, TCIFLUSH)), signal(SIGTTOU, SIG_IGN), say(tcflush(slave, TCIFLUSH)), say(write(slave, "x", 1)), fflush(stdout), _exit(0);
		}
		waitpid(child, &status, 0), close(over[1]), read(over[0], &byte, 1);
		child = fork();
		if (!child)
			setpgid(0, 0), signal(SIGTTIN, SIG_IGN), parts(slave, 1), fflush(stdout), _exit(0);
		waitpid(child, &status, 0);
		child = fork();
		if (!child) {
			setsid(), say(ioctl(slave, TIOCSCTTY, 0)), say(geteuid() ? -1 : ioctl(slave, TIOCSCTTY, 1)), fflush(stdout), _exit(0);
		}
		waitpid(child, &status, 0), say(open("/dev/tty", O_RDWR) < 0 && !geteuid() ? -1 : 0), fflush(stdout);
		_exit(0);
	}
	close(over[1]), waitpid(leader, &status, 0);
	say(ioctl(master, TIOCGSID, &number)), close(master), close(slave), putchar('\n');
}

static void full(void)
{
	static char many[8192];
	long size, sum = 0;

	opened(), mode(1, 0, 0), memset(many, 'x', sizeof many);
	printf("full:");
	for (int i = 0; i < 100 && (size = write(slave, many, sizeof many)) > 0; i++)
		sum += size, settle();
	say(size), say(sum > 2000), polled(slave), say(read(master, many, sizeof many) > 0), settle(), say(write(slave, "y", 1)), close(slave), close(master), putchar('\n');
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	reading(), locked(), controlled(), full();
	return 0;
}
