/* A pseudo-terminal: lines edited and echoed, keys that are signals, modes, and the session it controls. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int master, slave;
static char name[64];

/* let what has been written arrive: a kernel's worker brings it */
static void settle(void)
{
	usleep(30000);
}

static void show(const char *what, int file)
{
	char buffer[512];
	struct pollfd waiting = { file, POLLIN };
	ssize_t size;

	settle();
	size = poll(&waiting, 1, 0) > 0 ? read(file, buffer, sizeof buffer) : -2;

	printf("%s: %zd \"", what, size);
	for (ssize_t at = 0; at < size; at++)
		if (buffer[at] < 32 || buffer[at] > 126)
			printf("\\%03o", (unsigned char)buffer[at]);
		else
			putchar(buffer[at]);
	printf("\"%s%s\n", size == -1 ? " " : "", size == -1 ? strerror(errno) : "");
}

static void type(const char *what, const char *keys)
{
	write(master, keys, strlen(keys));
	printf("-- %s\n", what);
	show("seen", master);
	show("read", slave);
}

static void modes(tcflag_t input, tcflag_t output, tcflag_t local, int min, int time)
{
	struct termios settings;

	tcgetattr(slave, &settings);
	settings.c_iflag = input, settings.c_oflag = output, settings.c_lflag = local;
	settings.c_cc[VMIN] = min, settings.c_cc[VTIME] = time;
	tcsetattr(slave, TCSANOW, &settings);
}

static void lines(void)
{
	struct termios settings;
	int waiting;

	tcgetattr(slave, &settings);
	printf("modes %o %o %o %o\n", settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag);
	type("a line", "hello\r");
	type("erased", "helpp\177\177lo\r");
	type("a control character", "a\001b\177\177\r");
	type("a word erased", "one two  \027three\r");
	type("a line killed", "rubbish\025good\r");
	type("half a line", "half");
	type("the rest", " and half\r");
	type("taken literally", "x\026\003y\r");
	type("end of file", "\004");
	type("half a line ended", "tail\004");
	type("two lines", "one\rtwo\r");
	show("the second", slave);
	type("shown again", "abc\022d\r");
	write(slave, "out\nput\n", 8);
	show("written", master);
	write(master, "\023", 1);
	settle();
	fcntl(slave, F_SETFL, O_NONBLOCK);
	printf("stopped %zd", write(slave, "x", 1));
	printf(" %s\n", strerror(errno));
	write(master, "\021", 1);
	settle();
	printf("started %zd\n", write(slave, "x", 1));
	fcntl(slave, F_SETFL, 0);
	show("started", master);
	modes(ICRNL, OPOST | ONLCR, ICANON | ECHONL, 1, 0);
	type("silent", "secret\r");
	modes(ICRNL, OPOST | ONLCR, ICANON | ECHO, 1, 0);
	type("without pictures", "ab\177c\r");
	modes(0, 0, 0, 1, 0);
	type("raw", "a\rb\003\177\n");
	modes(INLCR, 0, ECHO, 1, 0);
	type("echoed", "a\nb");
	modes(0, 0, 0, 3, 0);
	type("two of three", "ab");
	type("three of three", "c");
	modes(0, 0, 0, 0, 0);
	printf("no minimum %zd\n", read(slave, &settings, 8));
	modes(0, 0, 0, 0, 2);
	printf("in time %zd\n", read(slave, &settings, 8));
	write(slave, "raw\n", 4);
	show("written raw", master);
	write(master, "abc", 3);
	settle();
	ioctl(slave, FIONREAD, &waiting);
	printf("waiting %d\n", waiting);
	tcflush(slave, TCIFLUSH);
	ioctl(slave, FIONREAD, &waiting);
	printf("flushed %d\n", waiting);
	modes(ICRNL | IXON, OPOST | ONLCR, ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN, 1, 0);
}

static void handler(int number)
{
	char text[32];

	write(slave, text, sprintf(text, "signal %d\n", number));
}

static void wait_for(const char *what, pid_t pid)
{
	int status;

	waitpid(pid, &status, WUNTRACED);
	if (WIFSTOPPED(status))
		printf("%s stopped by %d\n", what, WSTOPSIG(status));
	else if (WIFSIGNALED(status))
		printf("%s killed by %d\n", what, WTERMSIG(status));
	else
		printf("%s exited %d\n", what, WEXITSTATUS(status));
}

/* the leader of the terminal's session */
static int leader(void)
{
	struct winsize window;
	int tty, status;
	char line[16];
	pid_t child;

	close(master);
	close(slave);
	printf("no terminal %d", open("/dev/tty", O_RDWR));
	printf(" %s\n", strerror(errno));
	setsid();
	slave = open(name, O_RDWR);
	printf("controlled %d %d\n", tcgetpgrp(slave) == getpgrp(), tcgetsid(slave) == getsid(0));
	tty = open("/dev/tty", O_RDWR);
	printf("tty %d %s\n", isatty(tty), ttyname(slave) && !strcmp(ttyname(slave), name) ? "named" : "unnamed");
	signal(SIGINT, handler);
	siginterrupt(SIGINT, 1);
	signal(SIGWINCH, handler);
	write(tty, "ready\n", 6);
	printf("interrupted %zd\n", read(tty, line, sizeof line));
	signal(SIGINT, SIG_DFL);
	pause();
	ioctl(tty, TIOCGWINSZ, &window);
	printf("window %d %d\n", window.ws_row, window.ws_col);
	if ((child = fork()) == 0) {
		setpgid(0, 0);
		read(tty, line, sizeof line);
		_exit(1);
	}
	setpgid(child, child);
	wait_for("background reader", child);
	kill(child, SIGKILL);
	wait_for("background reader", child);
	if ((child = fork()) == 0) {
		setpgid(0, 0);
		tcsetpgrp(tty, getpid());
		_exit(1);
	}
	setpgid(child, child);
	wait_for("usurper", child);
	kill(child, SIGKILL);
	wait_for("usurper", child);
	signal(SIGTTOU, SIG_IGN);
	if ((child = fork()) == 0) {
		setpgid(0, 0);
		tcsetpgrp(tty, getpid());
		signal(SIGTTOU, SIG_DFL);
		write(tty, "job\n", 4);
		read(tty, line, sizeof line);
		_exit(9);
	}
	wait_for("job", child);
	tcsetpgrp(tty, getpgrp());
	kill(child, SIGKILL);
	wait_for("job", child);
	write(tty, "over\n", 5);
	signal(SIGHUP, SIG_DFL);
	pause();
	return 1;
}

static void until(const char *text)
{
	char buffer[4096];
	int size = 0, got;

	do {
		got = read(master, buffer + size, sizeof buffer - size - 1);
		size += got > 0 ? got : 0;
		buffer[size] = 0;
	} while (got > 0 && !strstr(buffer, text));
}

int main(void)
{
	struct winsize window = { 24, 80 };
	struct stat status;
	int number;
	pid_t child;

	setvbuf(stdout, NULL, _IONBF, 0);
	master = posix_openpt(O_RDWR | O_NOCTTY);
	printf("locked %d", open(ptsname(master), O_RDWR | O_NOCTTY));
	printf(" %s\n", strerror(errno));
	grantpt(master);
	unlockpt(master);
	ioctl(master, TIOCGPTN, &number);
	sprintf(name, "/dev/pts/%d", number);
	printf("name %s\n", strcmp(name, ptsname(master)) ? "differs" : "equal");
	slave = open(name, O_RDWR | O_NOCTTY);
	fstat(slave, &status);
	printf("mode %o, device %d\n", status.st_mode & S_IFMT, (int)(status.st_rdev >> 8));
	printf("terminals %d %d, session %d\n", isatty(master), isatty(slave), tcgetsid(slave));
	lines();
	close(slave);
	show("slave closed", master);
	slave = open(name, O_RDWR | O_NOCTTY);
	if ((child = fork()) == 0)
		_exit(leader());
	until("ready");
	close(slave);
	usleep(200000);
	write(master, "\003", 1);
	until("signal 2");
	usleep(200000);
	ioctl(master, TIOCSWINSZ, &window);
	until("job");
	write(master, "\032", 1);
	until("over");
	close(master);
	wait_for("leader", child);
	printf("gone %d\n", access(name, F_OK));
	return 0;
}
