/* Calls that come at once, and the same calls where they wait, fail, or are interrupted; prints what it finds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failed;
static volatile int signals, last;

static void check(int good, const char *what)
{
	if (!good) {
		printf("wrong: %s (%s)\n", what, strerror(errno));
		failed = 1;
	}
}

__attribute__((noinline)) long mark(const char *where)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%s: %ld.%09ld\n", where, (long)now.tv_sec, now.tv_nsec);
	return now.tv_nsec;
}

static void caught(int number)
{
	signals++;
	last = number;
}

static void pipes(void)
{
	static char big[70000], back[70000];
	int p[2];
	char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(pages + 2 * 4096, 4096);
	check(pipe(p) == 0, "pipe");
	for (int i = 0; i < 100; i++) {
		check(write(p[1], big, i % 7 + 1) == i % 7 + 1, "write");
		check(read(p[0], back, 100) == i % 7 + 1, "read");
	}
	check(write(p[1], "0123456789", 10) == 10, "ten");
	check(read(p[0], back, 4) == 4 && !memcmp(back, "0123", 4), "four of them");
	check(read(p[0], back, 0) == 0 && write(p[1], back, 0) == 0, "nothing");
	check(read(p[0], pages + 4096 - 3, 6) == 6 && !memcmp(pages + 4096 - 3, "456789", 6), "across pages");
	check(write(p[1], pages + 4096 - 3, 6) == 6 && read(p[0], back, 9) == 6 && back[5] == '9', "back");
	check(write(p[1], "x", 1) == 1 && read(p[0], pages + 2 * 4096, 1) == -1 && errno == EFAULT, "beyond");
	check(write(p[1], pages + 2 * 4096, 1) == -1 && errno == EFAULT, "from beyond");
	check(write(p[1], (char *)-4096L, 1) == -1 && errno == EFAULT, "from the kernel");
	mprotect(pages, 4096, PROT_READ);
	check(write(p[1], "y", 1) == 1 && read(p[0], pages, 1) == -1 && errno == EFAULT, "read only");
	mprotect(pages, 4096, PROT_READ | PROT_WRITE);
	check(read(p[1], back, 1) == -1 && errno == EBADF && write(p[0], back, 1) == -1 && errno == EBADF, "wrong ends");
	check(read(77, back, 1) == -1 && errno == EBADF && close(77) == -1 && errno == EBADF, "no descriptor");
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	while (read(p[0], back, 100) > 0)
		continue;
	check(errno == EAGAIN, "empty");
	int status, got = 0, part, all = 4096;
	while ((part = write(p[1], big, 3000)) > 0)
		all += part;
	check(part == -1 && errno == EAGAIN && all > 4096, "full");
	fcntl(p[1], F_SETFL, 0);
	if (fork() == 0) {
		check(write(p[1], big, 4096) == 4096, "a writer that waits");
		_exit(failed);
	}
	usleep(1000);
	fcntl(p[0], F_SETFL, 0);
	while (got < all && (part = read(p[0], back, 5000)) > 0)
		got += part;
	wait(&status);
	check(got == all && status == 0, "all of it");
	if (fork() == 0) {  /* pages are shared until one is written */
		strcpy(pages, "mine");
		_exit(write(p[1], pages, 5) != 5);
	}
	wait(&status);
	check(status == 0 && read(p[0], pages, 4096) == 5 && !strcmp(pages, "mine"), "a child's");
#ifdef __x86_64__
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 1; i < 4; i++) {  /* code that comes through a pipe */
		unsigned char text[] = {0xb8, i, 0, 0, 0, 0xc3};  /* mov eax, i; ret */
		check(write(p[1], text, 6) == 6 && read(p[0], code, 6) == 6 && ((int (*)(void))code)() == i, "code");
	}
#endif
	close(p[0]);
	signal(SIGPIPE, caught);
	check(write(p[1], "z", 1) == -1 && errno == EPIPE && last == SIGPIPE, "no reader");
	close(p[1]);
}

static void polls(void)
{
	int p[2];
	check(pipe(p) == 0, "pipe");
	struct pollfd one[2] = {{p[1], POLLIN | POLLOUT, 99}, {p[0], POLLIN, 99}};
	check(poll(one, 1, -1) == 1 && one[0].revents == POLLOUT, "ready");
	check(poll(one + 1, 1, 0) == 0 && one[1].revents == 0, "not ready");
	check(poll(one + 1, 1, 3) == 0, "three milliseconds");
	check(poll(one, 2, -1) == 1 && one[1].revents == 0, "one of two");
	one[1].fd = -1;
	check(poll(one + 1, 1, 0) == 0, "ignored");
	one[1].fd = 99;
	check(poll(one + 1, 1, -1) == 1 && one[1].revents == POLLNVAL, "not open");
	close(p[0]);
	check(poll(one, 1, -1) == 1 && one[0].revents == (POLLOUT | POLLERR), "no reader");
	struct pollfd *volatile bad = (void *)8;
	check(poll(bad, 1, 0) == -1 && errno == EFAULT, "nowhere");
	close(p[1]);
}

static int word;

static void *waiter(void *unused)
{
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return unused;
}

static void futexes(void)
{
	pthread_t thread;
	for (int i = 0; i < 50; i++)
		check(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0, "nobody waits");
	check(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EINVAL, "not aligned");
	check(syscall(SYS_futex, (int *)4096, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EFAULT, "nowhere");
	check(syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0) == -1 && errno == EAGAIN, "another value");
	pthread_create(&thread, NULL, waiter, NULL);
	usleep(2000);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	check(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1, "one waits");
	pthread_join(thread, NULL);
}

static void interruptions(void)
{
	struct sigaction act = {.sa_handler = caught};
	struct itimerval soon = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	int p[2], before;
	char byte;
	sigset_t set;
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGVTALRM, &act, NULL);
	sigaction(SIGUSR1, &act, NULL);
	check(pipe(p) == 0, "pipe");
	for (int which = ITIMER_REAL; which <= ITIMER_VIRTUAL; which++) {
		before = signals;
		setitimer(which, &soon, NULL);
		for (int i = 0; i < 800; i++)
			check(write(p[1], "a", 1) == 1 && read(p[0], &byte, 1) == 1, "under a timer");
		if (which == ITIMER_REAL)
			check(read(p[0], &byte, 1) == -1 && errno == EINTR, "a read that a signal ends");
		setitimer(which, &never, NULL);
		printf("%d signals\n", signals - before);
		mark("timer");
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	before = signals;
	raise(SIGUSR1);
	check(write(p[1], "b", 1) == 1 && signals == before, "a signal waits");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	check(signals == before + 1, "a signal at once");
	close(p[0]);
	close(p[1]);
}

static void files(void)
{
	char name[] = "/tmp/promptXXXXXX", text[64];
	struct stat status;
	struct rlimit limit;
	int fd = mkstemp(name), child, number;
	check(fd >= 0 && write(fd, "some words", 10) == 10, "a new file");
	check(lseek(fd, 5, SEEK_SET) == 5 && read(fd, text, 64) == 5 && !memcmp(text, "words", 5), "its end");
	check(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL, "before it");
	check(pread(fd, text, 4, 0) == 4 && !memcmp(text, "some", 4), "its beginning");
	check(stat(name, &status) == 0 && status.st_size == 10, "its size");
	check((number = open(name, O_RDWR | O_TRUNC)) > fd && fstat(fd, &status) == 0 && status.st_size == 0, "cut");
	check(dup(number) == number + 1 && close(number + 1) == 0 && close(number) == 0, "descriptors");
	check(open("/tmp/none/none", O_RDONLY) == -1 && errno == ENOENT && stat("", &status) == -1, "no file");
	check(open((char *)8, O_RDONLY) == -1 && errno == EFAULT, "no name");
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 8;
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, caught);
	check(write(fd, "0123456789", 10) == 8 || lseek(fd, 0, SEEK_CUR) == 10, "as much as may be");
	lseek(fd, 8, SEEK_SET);
	check(write(fd, "x", 1) == -1 && errno == EFBIG && last == SIGXFSZ, "too long");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	close(fd);
	unlink(name);
	check(mkfifo(name, 0600) == 0, "a pipe with a name");
	if ((child = fork()) == 0) {
		check((fd = open(name, O_WRONLY)) >= 0 && write(fd, "named", 5) == 5, "its writer");
		_exit(failed);
	}
	check((fd = open(name, O_RDONLY)) >= 0 && read(fd, text, 64) == 5 && read(fd, text, 64) == 0, "its reader");
	waitpid(child, &number, 0);
	check(number == 0, "the writer's end");
	close(fd);
	unlink(name);
	for (int i = 0; i < 20; i++) {
		check((fd = open("/etc/passwd", O_RDONLY)) >= 0 && read(fd, text, 64) == 64, "a file of the host");
		check(fstat(fd, &status) == 0 && close(fd) == 0, "its attributes");
	}
}

/* Paths that are looked up again and again, while directories, names and rights on the way change. */
static void names(void)
{
	char top[] = "/tmp/namesXXXXXX", text[8];
	struct stat status, before;
	int fd, status_of_child, number;
	check(mkdtemp(top) != NULL && chdir(top) == 0, "a directory");
	check(mkdir("a", 0755) == 0 && mkdir("a/b", 0755) == 0, "directories in it");
	check((fd = open("a/b/file", O_CREAT | O_RDWR, 0640)) >= 0 && write(fd, "first", 5) == 5, "a file");
	for (int i = 0; i < 5; i++) {
		check(stat("a/b/file", &status) == 0 && status.st_size == 5 && (status.st_mode & 0777) == 0640, "its size");
		check(lstat("a/./b/../b/file", &before) == 0 && before.st_ino == status.st_ino, "another way to it");
		check((number = open("a/b/file", O_RDONLY | O_CLOEXEC)) == fd + 1 && read(number, text, 8) == 5, "its bytes");
		check(lseek(number, -2, SEEK_END) == 3 && read(number, text, 8) == 2 && text[1] == 't', "the last two");
		check(lseek(number, -9, SEEK_CUR) == -1 && errno == EINVAL, "before it");
		check(fcntl(number, F_GETFD) == FD_CLOEXEC && close(number) == 0, "closed");
		check(close(number) == -1 && errno == EBADF, "closed again");
		check(stat("a/b/none", &status) == -1 && errno == ENOENT, "not there");
		check(stat("a/b/file/x", &status) == -1 && errno == ENOTDIR, "no directory");
		check(stat("a/b/file", (void *)8) == -1 && errno == EFAULT, "nowhere");
		check(open("a/b", O_RDWR) == -1 && errno == EISDIR, "a directory to write to");
		check(chmod("a/b/file", 0600) == 0 && stat("a/b/file", &status) == 0 && (status.st_mode & 0777) == 0600, "mode");
		check(chmod("a/b/file", 0640) == 0 && write(fd, "", 0) == 0, "mode again");
	}
	check(rename("a/b", "a/c") == 0 && stat("a/b/file", &status) == -1 && errno == ENOENT, "moved");
	check(stat("a/c/file", &status) == 0 && stat("a/c/file", &status) == 0, "there now");
	check(mkdir("a/b", 0755) == 0 && stat("a/b/file", &status) == -1 && errno == ENOENT, "another one");
	check(rmdir("a/b") == 0 && symlink("c", "a/b") == 0 && stat("a/b/file", &status) == 0, "by a link");
	check(stat("a/b/file", &status) == 0 && lstat("a/b", &status) == 0 && S_ISLNK(status.st_mode), "a link");
	check(unlink("a/b") == 0 && symlink(".", "a/b") == 0 && stat("a/b/file", &status) == -1, "another link");
	check(link("a/c/file", "a/file") == 0 && stat("a/file", &status) == 0 && status.st_nlink == 2, "two names");
	check(write(fd, "more", 4) == 4 && stat("a/c/file", &status) == 0 && status.st_size == 9, "longer");
	check(unlink("a/c/file") == 0 && stat("a/c/file", &status) == -1 && fstat(fd, &status) == 0
	    && status.st_nlink == 1, "one name");
	check(ftruncate(fd, 1) == 0 && stat("a/file", &status) == 0 && status.st_size == 1, "shorter");
	fflush(stdout);
	if (getuid() == 0 && fork() == 0) {  /* another user, before and after the right to search is taken away */
		check(chmod(top, 0755) == 0 && stat("a/file", &status) == 0, "root may");
		check(setegid(99) == 0 && seteuid(99) == 0 && stat("a/file", &status) == 0 && stat("a/file", &status) == 0, "may");
		check(open("a/file", O_RDONLY) == -1 && errno == EACCES, "may not read it");
		check(seteuid(0) == 0 && chmod("a", 0700) == 0 && stat("a/file", &status) == 0, "the owner's alone");
		check(seteuid(99) == 0 && stat("a/file", &status) == -1 && errno == EACCES, "may not");
		check(stat("a/file", &status) == -1 && errno == EACCES && seteuid(0) == 0, "may not again");
		check(chroot(top) == 0 && stat("/a/file", &status) == 0 && stat("/a/file", &status) == 0, "another root");
		check(stat("/etc/passwd", &status) == -1 && errno == ENOENT, "not in it");
		_exit(failed);
	}
	wait(&status_of_child);
	check(getuid() != 0 || status_of_child == 0, "the other user");
	for (int i = 0; i < 20; i++) {
		check(stat("/etc/passwd", &status) == 0 && (number = open("/etc/passwd", O_RDONLY)) >= 0, "a file of the host");
		check(fstat(number, &before) == 0 && before.st_size == status.st_size && before.st_ino == status.st_ino, "same");
		check(close(number) == 0 && stat("/etc/none", &before) == -1 && errno == ENOENT, "none of the host");
	}
	check(unlink("a/file") == 0 && close(fd) == 0 && rmdir("a/c") == 0 && unlink("a/b") == 0 && rmdir("a") == 0, "away");
	check(chdir("/") == 0 && rmdir(top) == 0 && stat(top, &status) == -1, "all of it");
}

static void turns(void)
{
	int p[2], q[2], status;
	char byte = 0;
	check(pipe(p) == 0 && pipe(q) == 0, "pipes");
	if (fork() == 0) {
		for (int i = 0; i < 60; i++)
			check(read(p[0], &byte, 1) == 1 && ++byte && write(q[1], &byte, 1) == 1, "pong");
		_exit(failed);
	}
	for (int i = 0; i < 60; i++)
		check(write(p[1], &byte, 1) == 1 && read(q[0], &byte, 1) == 1, "ping");
	wait(&status);
	check((unsigned char)byte == 60 && status == 0, "turns");
}

/* What a pipe's other thread does while this one waits in read. */
static int ends[2];
static pthread_t sleeper;

static void *helper(void *what)
{
	usleep(2000);
	int other, action = *(int *)what;
	switch (action) {
	case 0:
		close(ends[1]);
		break;
	case 1:  /* the descriptor becomes another file's: the read keeps the pipe's end open */
		other = open("/dev/zero", O_RDONLY);
		dup2(other, ends[0]);
		close(other);
		check(write(ends[1], "W", 1) == 1, "to the pipe that is read");
		break;
	case 2:
		pthread_kill(sleeper, SIGUSR1);
		break;
	case 3:
		pthread_kill(sleeper, SIGUSR2);
		usleep(2000);
		check(write(ends[1], "R", 1) == 1, "after the signal");
		break;
	case 5:
		close(ends[0]);
		check(write(ends[1], "T", 1) == 1, "to the socket that is read");
		break;
	case 4:
		check(write(ends[1], "abcdef", 6) == 6, "six");
		break;
	}
	return NULL;
}

static void waits(void)
{
	struct { int action; ssize_t result; int error; char first; } cases[] = {
	    {0, 0, 0, 'x'}, {1, 1, 0, 'W'}, {2, -1, EINTR, 'x'}, {3, 1, 0, 'R'}, {4, 3, 0, 'a'}};
	char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction act = {.sa_handler = caught};
	pthread_t thread;
	munmap(pages + 2 * 4096, 4096);
	sigaction(SIGUSR1, &act, NULL);
	act.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &act, NULL);
	sleeper = pthread_self();
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char bytes[4] = "xxx";
		check(pipe(ends) == 0 && pthread_create(&thread, NULL, helper, &cases[i].action) == 0, "a helper");
		ssize_t result = read(ends[0], bytes, 3);
		check(result == cases[i].result && bytes[0] == cases[i].first, "what comes while it waits");
		check(result >= 0 || errno == cases[i].error, "why it ends");
		mark("waited");
		pthread_join(thread, NULL);
		close(ends[0]);
		close(ends[1]);
	}
	char *places[] = {pages, pages + 4096 - 2, pages + 2 * 4096 - 2, pages + 2 * 4096};
	ssize_t results[] = {6, 6, 2, -1};
	for (int i = 0; i < 4; i++) {  /* a page that is not there yet, two pages, and where there is none */
		int six = 4;
		check(pipe(ends) == 0 && pthread_create(&thread, NULL, helper, &six) == 0, "a helper");
		ssize_t result = read(ends[0], places[i], 6);
		check(i == 2 ? result == 2 || (result == -1 && errno == EFAULT) : result == results[i], "into pages");
		check(result > 0 ? !memcmp(places[i], "abcdef", result) : errno == EFAULT, "its bytes");
		pthread_join(thread, NULL);
		close(ends[0]);
		close(ends[1]);
	}
	int child, status, action = 5;
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "sockets");
	check(pthread_create(&thread, NULL, helper, &action) == 0 && recv(ends[0], pages, 1, 0) == 1, "what it waits for");
	pthread_join(thread, NULL);
	check(*pages == 'T' && write(ends[1], "U", 1) == -1 && errno == EPIPE && last == SIGPIPE, "closed when it returns");
	close(ends[1]);
	check(pipe(ends) == 0, "pipe");
	if ((child = fork()) == 0)
		_exit(read(ends[0], pages, 1));
	usleep(2000);
	kill(child, SIGKILL);
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status), "killed while it waits");
	if ((child = fork()) == 0)
		_exit(read(ends[0], pages, 1) != 1 || *pages != 'S');
	usleep(2000);
	kill(child, SIGSTOP);
	check(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stopped while it waits");
	check(write(ends[1], "S", 1) == 1, "to one that is stopped");
	kill(child, SIGCONT);
	check(waitpid(child, &status, 0) == child && status == 0, "goes on");
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	void (*parts[])(void) = {pipes, polls, futexes, interruptions, files, names, turns, waits};
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		parts[i]();
		mark("part");
	}
	if (!failed)
		printf("all is well\n");
	return failed;
}
