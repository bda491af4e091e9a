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
	usleep(12000);
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

static void bytes_of(int file)
{
	unsigned char bytes[512];
	ssize_t size;

	while ((size = read(file, bytes, sizeof bytes)) >= 0) {
		printf(" %zd:", size);
		for (ssize_t at = 0; at < size; at++)
			printf(bytes[at] < 33 || bytes[at] > 126 ? "<%02x>" : "%c", bytes[at]);
		if (!size)
			break;
	}
	printf(" %s;", size < 0 ? strerror(errno) : "end");
}

/* What each mode does to the same input and output. */
static void each_mode(void)
{
	static const struct { char which; unsigned modes; } all[] = { { 'i', 0 }, { 'i', ISTRIP }, { 'i', INLCR }, { 'i', IGNCR },
	    { 'i', ICRNL }, { 'i', ICRNL | IGNCR }, { 'i', ICRNL | INLCR }, { 'i', IXON }, { 'i', IXON | IXANY }, { 'i', IUTF8 },
	    { 'o', 0 }, { 'o', OPOST }, { 'o', ONLCR }, { 'o', OPOST | OCRNL }, { 'o', OPOST | OCRNL | ONLCR }, { 'l', 0 },
	    { 'l', ICANON }, { 'l', ICANON | ECHO }, { 'l', ICANON | ECHO | ECHOE }, { 'l', ICANON | ECHO | ECHOK },
	    { 'l', ICANON | ECHO | ECHOK | ECHOKE | ECHOE }, { 'l', ICANON | ECHONL }, { 'l', ICANON | ECHO | ECHOCTL },
	    { 'l', ICANON | ECHO | ECHOE | IEXTEN }, { 'l', ICANON | ECHO | ECHOE | ECHOCTL | IEXTEN | ISIG },
	    { 'l', ICANON | ECHO | ECHOE | IEXTEN | ISIG | NOFLSH }, { 'l', ECHO | IEXTEN },
	    { 'l', ICANON | IEXTEN | TOSTOP }, { 'l', ECHONL } };
	static const char typed[] = "ab\177c\none two \027x\nkill\025k\nlit\026\003x\nre\022p\na\rb\nx\004\n\004tt\177\177\177\n\033[A\001\n"
	    "h\303\251\177\n\303\251\342\202\254\177\177\n  two words  \027\027\nx\025\nz\n\027\177\025\nend,\n", keys[] = "stu\nv\030w\n";
	struct termios base, modes;
	int here = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), there;

	grantpt(here), unlockpt(here);
	there = open(ptsname(here), O_RDWR | O_NOCTTY | O_NONBLOCK);
	tcgetattr(there, &base);
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		modes = base;
		*(all[i].which == 'i' ? &modes.c_iflag : all[i].which == 'o' ? &modes.c_oflag : &modes.c_lflag) = all[i].modes;
		tcsetattr(there, i % 3 == 2 ? TCSAFLUSH : i % 3 ? TCSADRAIN : TCSANOW, &modes);
		tcgetattr(there, &modes);
		printf("%c %o: %o %o %o\n", all[i].which, all[i].modes, modes.c_iflag, modes.c_oflag, modes.c_lflag);
		for (int which = 0; which < 2; which++) {
			write(here, which ? keys : typed, strlen(which ? keys : typed));
			settle();
			bytes_of(there), bytes_of(here);
			write(there, "out\nput\r\nx", 10);
			settle();
			bytes_of(here);
			if (which)
				tcflow(there, TCOON);
			settle();
			bytes_of(here);
			putchar('\n');
		}
		tcflush(there, TCIOFLUSH);
	}
	/* other characters for the keys, none at all, and a second end of a line */
	for (int which = 0; which < 4; which++) {
		modes = base;
		modes.c_lflag &= ~ISIG;
		if (which == 1)
			memset(modes.c_cc, 0, sizeof modes.c_cc);
		if (which == 2)
			modes.c_cc[VERASE] = 'e', modes.c_cc[VKILL] = 'k', modes.c_cc[VEOF] = 'q', modes.c_cc[VWERASE] = 'w', modes.c_cc[VLNEXT] = 'l', modes.c_cc[VREPRINT] = 'r';
		if (which == 3)
			modes.c_cc[VEOL] = 'o', modes.c_cc[VEOL2] = 'i';
		tcsetattr(there, TCSANOW, &modes);
		write(here, typed, strlen(typed));
		write(here, "one two.eek\nlike work\nquiet oil\nSoTw\n", 38);
		settle();
		bytes_of(there), bytes_of(here);
		putchar('\n');
		tcflush(there, TCIOFLUSH);
	}
	/* half a line that becomes bytes, and bytes that become a line */
	for (int canonical = 1; canonical >= 0; canonical--) {
		modes = base;
		modes.c_lflag = canonical ? base.c_lflag : base.c_lflag & ~ICANON;
		tcsetattr(there, TCSANOW, &modes);
		write(here, "half", 4);
		settle();
		bytes_of(there);
		modes.c_lflag ^= ICANON;
		modes.c_cc[VMIN] = 3, modes.c_cc[VTIME] = 0;
		tcsetattr(there, TCSANOW, &modes);
		settle();
		bytes_of(there);
		write(here, "way\n", 4);
		settle();
		bytes_of(there), bytes_of(here);
		putchar('\n');
	}
	close(here), close(there);
}

/* Who controls a terminal, and who may say so. */
static void told(const char *what, int result)
{
	printf(" %s %d %s,", what, result, result < 0 ? strerror(errno) : "");
}

static void controlling(void)
{
	int here = posix_openpt(O_RDWR | O_NOCTTY), there, status, ends[2], number = -5;

	grantpt(here), unlockpt(here);
	there = open(ptsname(here), O_RDWR | O_NOCTTY);
	told("not the leader", ioctl(there, TIOCSCTTY, 0)), told("not its own", ioctl(there, TIOCNOTTY, 0));
	told("group", ioctl(there, TIOCGPGRP, &number)), told("set", ioctl(there, TIOCSPGRP, &number)), told("session", ioctl(there, TIOCGSID, &number));
	for (int argument = -1; argument < 6; argument++) {
		told("hold", ioctl(there, TCXONC, argument == 2 || argument == 3 ? 9 : argument));
		told("flush", ioctl(there, TCFLSH, argument));
	}
	told("waits", ioctl(there, TIOCOUTQ, &number));
	printf(" %d", number);
	number = -5;
	told("discipline", ioctl(there, TIOCGETD, &number));
	printf(" %d", number);
	told("break", ioctl(there, TCSBRK, 1)), told("exclusive", ioctl(there, TIOCEXCL, 0)), told("no more", ioctl(there, TIOCNXCL, 0));
	told("nowhere", ioctl(there, TIOCGWINSZ, (void *)8)), told("nowhere", ioctl(there, TCGETS, (void *)8)), told("nowhere", ioctl(there, TCSETS, (void *)8));
	told("number", ioctl(here, TIOCGPTN, &number)), told("of none", ioctl(there, TIOCGPTN, &number)), told("locked", ioctl(here, TIOCSPTLCK, &(int){ 1 }));
	told("open", open(ptsname(here), O_RDWR | O_NOCTTY)), told("unlocked", ioctl(here, TIOCSPTLCK, &(int){ 0 }));
	putchar('\n');
	fflush(stdout);
	pipe(ends);
	pid_t first = fork();
	if (!first) {
		char byte;
		setsid();
		signal(SIGHUP, SIG_IGN), signal(SIGTTOU, SIG_IGN);
		told("leader", ioctl(there, TIOCSCTTY, 0)), told("again", ioctl(there, TIOCSCTTY, 0));
		ioctl(there, TIOCGPGRP, &number), told("group", number == getpid());
		ioctl(there, TIOCGSID, &number), told("session", number == getpid());
		told("from the master", ioctl(here, TIOCGSID, &number)), told("group", ioctl(here, TIOCGPGRP, &number));
		pid_t inner = fork();
		if (!inner) {
			setpgid(0, 0);
			told("own group", tcsetpgrp(there, getpid())), told("parent's", tcsetpgrp(there, getppid()));
			told("none", tcsetpgrp(there, 99999)), told("negative", ioctl(there, TIOCSPGRP, &(int){ -1 }));
			told("detached", ioctl(there, TIOCNOTTY, 0)), told("group then", ioctl(there, TIOCGPGRP, &number)), told("terminal", open("/dev/tty", O_RDWR));
			fflush(stdout);
			_exit(0);
		}
		fflush(stdout);
		waitpid(inner, &status, 0);
		told("still", open("/dev/tty", O_RDWR) >= 0);
		fflush(stdout);
		pid_t other = fork();
		if (!other) {
			setsid();
			told("taken", ioctl(there, TIOCSCTTY, 0)), told("foreign group", ioctl(there, TIOCGPGRP, &number)), told("foreign session", ioctl(there, TIOCGSID, &number));
			fflush(stdout);
			_exit(0);
		}
		waitpid(other, &status, 0);
		told("leader detached", ioctl(there, TIOCNOTTY, 0)), told("terminal", open("/dev/tty", O_RDWR)), told("twice", ioctl(there, TIOCNOTTY, 0));
		told("anew", ioctl(there, TIOCSCTTY, 0)), told("terminal", open("/dev/tty", O_RDWR) >= 0);
		putchar('\n');
		fflush(stdout);
		_exit(0);
	}
	waitpid(first, &status, 0);
	told("nobody's session", ioctl(there, TIOCGSID, &number));
	putchar('\n');
	close(here);
	told("write to no master", write(there, "x", 1)), told("read", read(there, &number, 1)), told("modes", tcgetattr(there, &(struct termios){ 0 }));
	putchar('\n');
	close(there);
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
	each_mode();
	controlling();
	return 0;
}
