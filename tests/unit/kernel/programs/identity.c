/* Who a process is: set-id programs, changes of ids, and what others may do to it.  Says more as root. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OWNER = 4321, GROUP = 4322, USER = 1234, OTHER = 999 };

static void show(const char *when)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;
	struct stat status;
	int signal = -1;

	getresuid(&r, &e, &s);
	getresgid(&rg, &eg, &sg);
	prctl(PR_GET_PDEATHSIG, &signal);
	stat("/proc/self/environ", &status);
	printf("%s: %d %d %d, %d %d %d, dumpable %d, secure %lu, aux %lu %lu, death %d, proc %d %o\n", when, r, e, s,
	       rg, eg, sg, prctl(PR_GET_DUMPABLE), getauxval(AT_SECURE), getauxval(AT_EUID), getauxval(AT_EGID),
	       signal, status.st_uid, status.st_mode);
	fflush(stdout);
}

/* Runs `action` in a child that has become a user. */
static void as(uid_t user, void (*action)(void))
{
	int status;

	fflush(stdout);
	if (!fork()) {
		if (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user))
			perror("become");
		prctl(PR_SET_PDEATHSIG, SIGUSR1);
		action();
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	if (status)
		printf("status %d\n", status);
}

static void run(const char *path, const char *what)
{
	execl(path, path, what, NULL);
	printf("exec %s: %s\n", path, strerrorname_np(errno));
}

static void both(void) { run("./both", "both bits"); }
static void group(void) { run("./group", "group bit"); }
static void locks(void) { run("./locks", "no right of the group"); }
static void script(void) { run("./script", "script"); }
static void secret(void) { run("./secret", "secret"); }
static void plain(void) { run("./plain", "plain"); }

static void confined(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!fork())
		run("./both", "no new privileges");
	wait(NULL);
}

static void traced(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		run("./both", "traced");
		_exit(1);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, child, 0, 0);
}

static void mixed(void)
{
	if (setresuid(-1, OTHER, -1))
		puts("another's id");
	show("unchanged");
	setresuid(USER, -1, -1);
	show("the same");
}

static void tried(const char *what, int result)
{
	printf("%s: %s\n", what, result ? strerrorname_np(errno) : "done");
}

/* The rules by which ids change: from (real USER, effective OWNER, saved OWNER) without a privilege. */
static void rules(void)
{
	show("of two users");
	tried("setuid to a third", setuid(OTHER));
	tried("setreuid to the saved", setreuid(-1, OWNER));
	tried("setuid to the real", setuid(USER));
	show("back");
	tried("seteuid to the saved", seteuid(OWNER));
	tried("setreuid swaps", setreuid(OWNER, USER));
	show("swapped");
	tried("setresuid to one of three", setresuid(USER, USER, USER));
	tried("and not back", setresuid(-1, OWNER, -1));
	tried("setgroups", setgroups(0, NULL));
	tried("setresgid", setresgid(-1, OTHER, -1));
	tried("chroot", chroot("/"));
	tried("device", mknod("device", S_IFCHR | 0600, 0x103));
	tried("host name", sethostname("x", 1));
	prctl(PR_SET_DUMPABLE, 1);
	show("dumpable again");
}

static void again(void)
{
	if (setresuid(0, USER, 0))
		perror("mixed");
	run("./plain", "effective ids are saved");
}

/* Capabilities come and go with ids: they stay permitted as long as one of the three is the superuser's. */
static void superuser(void)
{
	enum { PUT_ASIDE = 5 };
	static const uid_t ids[][3] = { { 0, USER, 0 }, { USER, 0, USER }, { USER, USER, 0 }, { -1, 0, -1 },
		{ 0, USER, USER }, { -1, 0, -1 }, { -1, 0, -1 }, { -1, USER, -1 }, { -1, 0, -1 }, { USER, USER, USER } };
	struct { unsigned version; int pid; } header = { 0x20080522, 0 };
	unsigned first[6], now[6], at;

	syscall(SYS_capget, &header, first);
	for (at = 0; at < sizeof ids / sizeof *ids; at++) {
		tried("ids", setresuid(ids[at][0], ids[at][1], ids[at][2]));
		if (at == PUT_ASIDE)
			tried("put aside", syscall(SYS_capset, &header, (unsigned[]){ 0, first[1], 0, 0, first[4], 0 }));
		syscall(SYS_capget, &header, now);
		printf("%d %d %d: permitted %s, effective %s\n", ids[at][0], ids[at][1], ids[at][2],
		       now[1] == first[1] ? "as before" : now[1] ? "some" : "none",
		       now[0] == first[0] ? "as before" : now[0] ? "some" : "none");
	}
}

/* What a process that keeps capabilities may do after it has given up the superuser's ids. */
static void keeping(void)
{
	struct { unsigned version; int pid; } header = { 0x20080522, 0 };
	unsigned first[6], now[6];

	tried("keep maybe", prctl(PR_SET_KEEPCAPS, 2));
	tried("keep", prctl(PR_SET_KEEPCAPS, 1));
	tried("does", prctl(PR_GET_KEEPCAPS) - 1);
	tried("in bits", prctl(PR_GET_SECUREBITS) - (1 << 4));
	syscall(SYS_capget, &header, first);
	tried("change ids", setresuid(USER, USER, USER));
	syscall(SYS_capget, &header, now);
	printf("permitted %d, effective %d\n", now[1] == first[1] && now[4] == first[4], now[0] | now[3]);
	tried("give away in vain", chown("plain", USER, -1));
	tried("take one", syscall(SYS_capset, &header, (unsigned[]){ 1, 1, 0, 0, 0, 0 }));
	syscall(SYS_capget, &header, now);
	printf("%x %x %x %x\n", now[0], now[1], now[3], now[4]);
	tried("give away", chown("plain", OWNER, -1));
	tried("be root in vain", setuid(0));
	if (!fork()) {
		tried("child keeps", prctl(PR_GET_KEEPCAPS) - 1);
		tried("child gives away", chown("plain", OWNER, -1));
		fflush(stdout), _exit(0);
	}
	wait(NULL);
	run("./plain", "keeps nothing");
}

static void signals(void)
{
	static const uid_t ids[][2] = { { USER, OWNER }, { OWNER, USER }, { OTHER, OTHER }, { OTHER, OWNER },
		{ OWNER, OTHER }, { 0, OTHER } };
	unsigned at;

	for (at = 0; at < sizeof ids / sizeof *ids; at++) {
		int go[2], ready[2], status;
		char byte;
		pid_t child;

		if (pipe(go) || pipe(ready))
			return;
		fflush(stdout);
		child = fork();
		if (!child) {
			if (setresuid(USER, OTHER, OWNER) || write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) < 0)
				perror("child");
			_exit(0);
		}
		close(ready[1]);
		if (read(ready[0], &byte, 1) != 1)
			perror("ready");
		if (!fork()) {
			if (setresuid(ids[at][0], ids[at][1], -1))
				perror("sender");
			printf("as %d %d", ids[at][0], ids[at][1]);
			tried(", kill", kill(child, 0));
			tried("continue", kill(child, SIGCONT));
			tried("queue", sigqueue(child, 0, (union sigval) { 0 }));
			fflush(stdout);
			_exit(0);
		}
		wait(&status);
		if (write(go[1], "", 1) != 1)
			perror("go");
		wait(&status);
		close(ready[0]);
		close(go[0]);
		close(go[1]);
	}
}

/* What a user may set of a process of the superuser's, and of another user's threads. */
static void meddling(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct rlimit limit;
	timer_t timer;

	event.sigev_notify_thread_id = getppid();
	tried("timer for another process", timer_create(CLOCK_MONOTONIC, &event, &timer));
	event.sigev_notify_thread_id = getpid();
	tried("timer for oneself", timer_create(CLOCK_MONOTONIC, &event, &timer));
	tried("its limits", prlimit(getppid(), RLIMIT_CORE, NULL, &limit));
	tried("one's own limits", prlimit(getpid(), RLIMIT_CORE, NULL, &limit));
	tried("its priority", setpriority(PRIO_PROCESS, getppid(), 19));
	tried("one's own priority", setpriority(PRIO_PROCESS, 0, 19));
}

static void modes(const char *when, const char *path)
{
	struct stat status;

	stat(path, &status);
	printf("%s: %o %d %d\n", when, status.st_mode, status.st_uid, status.st_gid);
}

static void written(void)
{
	int fd = open("kept", O_WRONLY | O_APPEND);

	if (write(fd, "x", 1) != 1)
		perror("kept");
}

static void changed(void)
{
	tried("chown to oneself", chown("mine", USER, USER));
	modes("after chown", "mine");
	tried("chmod", chmod("mine", 06755));
	modes("after chmod", "mine");
}

static void copy(const char *path, int mode)
{
	char buffer[65536];
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ssize_t size;

	while ((size = read(from, buffer, sizeof buffer)) > 0)
		if (write(to, buffer, size) != size)
			perror(path);
	close(from);
	close(to);
	if (chown(path, OWNER, GROUP) || chmod(path, mode))
		perror(path);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc > 1) {
		show(argv[1]);
		if (!strcmp(argv[1], "both bits") && getuid() == USER)
			rules();
		return 0;
	}
	show("at first");
	if (getuid()) {
		puts("not root");
		return 0;
	}
	if (chmod(".", 0755))
		perror(".");
	copy("both", 06755);
	copy("group", 02755);
	copy("locks", 02745);
	copy("secret", 0711);
	copy("plain", 0755);
	fd = open("script", O_WRONLY | O_CREAT, 0755);
	if (write(fd, "#!./plain\n", 10) != 10 || close(fd) || chown("script", OWNER, GROUP) || chmod("script", 06755))
		perror("script");
	as(USER, both);
	as(USER, group);
	as(USER, locks);
	as(USER, script);
	as(USER, secret);
	as(USER, plain);
	as(USER, confined);
	as(USER, traced);
	as(USER, mixed);
	as(0, both);
	as(0, traced);
	as(0, again);
	as(0, superuser);
	as(0, keeping);
	as(OWNER, both);
	as(USER, meddling);
	signals();
	tried("root gives away", chown("both", USER, -1));
	modes("after that", "both");
	copy("kept", 06777);
	as(USER, written);
	modes("after a write", "kept");
	copy("kept", 06777);
	written();
	modes("after root's write", "kept");
	copy("mine", 06755);
	if (chown("mine", USER, USER) || chmod("mine", 06755))
		perror("mine");
	as(USER, changed);
	return 0;
}
