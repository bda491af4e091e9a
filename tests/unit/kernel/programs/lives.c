/* How processes begin and end: programs that cannot be executed, threads that execute one, orphans, tracers that go. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __LP64__
typedef Elf64_Ehdr Header;
typedef Elf64_Phdr Segment;
#else
typedef Elf32_Ehdr Header;
typedef Elf32_Phdr Segment;
#endif

static char own[4096];
static volatile sig_atomic_t got[65];

static void told(const char *what, long result)
{
	printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}

static void ended(const char *what, int status)
{
	printf("%s: %s %d\n", what, WIFEXITED(status) ? "exited" : WIFSIGNALED(status) ? "killed" : "stopped",
	    WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? WTERMSIG(status) : WSTOPSIG(status));
}

/* The end of a child that executes a file; it exits with the error. */
static void executed(const char *what, const char *file, char **words)
{
	static char *none[] = { "program", "over", NULL };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execv(file, words ? words : none);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	ended(what, status);
}

static void put(const char *path, const void *data, size_t size, int mode)
{
	int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	write(file, data, size);
	close(file);
	chmod(path, mode);
}

/* Scripts that name scripts, and words that are too long. */
static void scripts(void)
{
	char name[16], text[5000];
	char *many[600], *one[] = { "program", NULL, NULL };
	struct rlimit stack;

	put("s0", "#!/bin/true\n", 12, 0700);
	for (int i = 1; i < 7; i++) {
		snprintf(name, sizeof name, "s%d", i);
		put(name, text, snprintf(text, sizeof text, "#!s%d\n", i - 1), 0700);
		executed(name, name, NULL);
	}
	put("blank", "#! \n", 4, 0700), executed("no interpreter", "blank", NULL);
	put("bare", "#!", 2, 0700), executed("nothing behind", "bare", NULL);
	memset(text, 'x', sizeof text), memcpy(text, "#!/bin/true ", 12);
	put("long", text, sizeof text, 0700), executed("a long line", "long", NULL);
	put("closed", "#!/bin/true\n", 12, 0600), executed("not executable", "closed", NULL);
	executed("a directory", "/", NULL), executed("nothing", "nowhere", NULL);
	put("empty", "", 0, 0700), executed("an empty file", "empty", NULL);
	one[1] = malloc(140000), memset(one[1], 'x', 140000);
	for (int size = 131070; size < 131074; size++)
		one[1][size] = 0, executed("a long word", "/bin/true", one), one[1][size] = 'x';
	getrlimit(RLIMIT_STACK, &stack);
	stack.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_STACK, &stack);
	one[1][1000] = 0;
	for (int count = 240; count < 280; count += 4) {
		for (int i = 0; i < count; i++)
			many[i] = one[1];
		many[count] = NULL;
		if (count <= 252 || count >= 268)	/* where exactly that is depends on the environment */
			executed("many words", "/bin/true", many);
	}
	stack.rlim_cur = 8 << 20;
	setrlimit(RLIMIT_STACK, &stack);
}

static unsigned char *image;
static size_t size;

static Segment *segment(unsigned kind, int number)
{
	Header *head = (Header *)image;
	Segment *each = (Segment *)(image + head->e_phoff);

	for (int i = 0; i < head->e_phnum; i++)
		if (each[i].p_type == kind && number-- == 0)
			return each + i;
	return NULL;
}

static Segment *last(void)
{
	int number = 0;

	while (segment(PT_LOAD, number + 1))
		number++;
	return segment(PT_LOAD, number);
}

/* This program, with a mistake. */
static void mistaken(void)
{
	Header *head;
	struct stat about;
	int file = open(own, O_RDONLY);
	unsigned char *good;
	char *name;

	fstat(file, &about);
	size = about.st_size;
	good = malloc(size), image = malloc(size + 4096), head = (Header *)image;
	read(file, good, size);
	close(file);
#define WRONG(what, ...) memcpy(image, good, size), __VA_ARGS__, put("wrong", image, size, 0700), \
	executed(what, "./wrong", NULL)
#define INTERP segment(PT_INTERP, 0)
	WRONG("as it is", (void)0);
	WRONG("magic", image[3] = 'G');
	WRONG("type", head->e_type = ET_REL);
	WRONG("another machine", head->e_machine = EM_PPC);
	WRONG("size of headers", head->e_phentsize++);
	WRONG("no headers", head->e_phnum = 0);
	WRONG("headers beyond the end", head->e_phoff = size + 100);
	WRONG("headers cut off", head->e_phoff = size - 64);
	WRONG("no end of the interpreter's name", image[INTERP->p_offset + INTERP->p_filesz - 1] = 'x');
	WRONG("a shorter name", INTERP->p_filesz--);
	WRONG("no name", INTERP->p_filesz = 1);
	WRONG("an empty name", INTERP->p_filesz = 0);
	WRONG("a name too long", INTERP->p_filesz = 5000);
	WRONG("a name beyond the end", INTERP->p_offset = size - 2);
	WRONG("another interpreter", name = (char *)image + INTERP->p_offset, strcpy(name, "none"));
	WRONG("a script as interpreter", name = (char *)image + INTERP->p_offset, strcpy(name, "s0"));
	WRONG("a directory as interpreter", name = (char *)image + INTERP->p_offset, strcpy(name, "/bin"));
	WRONG("nothing as interpreter", name = (char *)image + INTERP->p_offset, strcpy(name, "empty"));
	WRONG("not executable", name = (char *)image + INTERP->p_offset, strcpy(name, "closed"));
	WRONG("more in the file than in memory", segment(PT_LOAD, 0)->p_memsz = segment(PT_LOAD, 0)->p_filesz - 1);
	WRONG("a segment of nothing", segment(PT_LOAD, 0)->p_memsz = segment(PT_LOAD, 0)->p_filesz = 0);
	WRONG("the first segment not at a page's place", segment(PT_LOAD, 0)->p_offset += 8);
	WRONG("the last segment not at a page's place", last()->p_offset += 8);
	WRONG("a segment too high", last()->p_vaddr = (uintptr_t)-1 << 12 & ~0xfffUL);
	WRONG("a segment too large", last()->p_memsz = (uintptr_t)-1 >> 1);
	memcpy(image, good, size);
	put("wrong", image, 3000, 0700), executed("cut off", "./wrong", NULL);
	put("wrong", image, sizeof *head - 1, 0700), executed("cut off in the header", "./wrong", NULL);
	put("other", good, size, 0700), ((Header *)good)->e_machine = EM_PPC, put("other", good, size, 0700);
	((Header *)good)->e_machine = head->e_machine;
	WRONG("an interpreter for others", name = (char *)image + INTERP->p_offset, strcpy(name, "other"));
}

static void note(int number)
{
	got[number]++;
}

static void *sleeper(void *unused)
{
	for (;;)
		pause();
}

static void *executes(void *file)
{
	char *words[] = { own, "thread", NULL }, *none[] = { "none", NULL };

	told("not there", execv("nowhere", none));
	execv(file, words);
	return NULL;
}

/* A thread that is not the first executes a program: the process's number stays, other threads and timers go. */
static void from_a_thread(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec soon = { .it_value = { 0, 50000000 } };
	pthread_t one;
	timer_t timer;
	int status, pipes[2];
	pid_t pid;

	pipe(pipes);
	fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipes[1], F_SETFD, 0);
	dup2(pipes[0], 100), fcntl(100, F_SETFD, FD_CLOEXEC), dup2(pipes[1], 101);
	pid = fork();
	if (pid == 0) {
		signal(SIGUSR1, note), signal(SIGUSR2, SIG_IGN);
		timer_create(CLOCK_MONOTONIC, &event, &timer);
		timer_settime(timer, 0, &soon, NULL);
		prctl(PR_SET_NAME, "before");
		for (int i = 0; i < 3; i++)
			pthread_create(&one, NULL, sleeper, NULL);
		pthread_create(&one, NULL, executes, own);
		sleeper(NULL);
	}
	waitpid(pid, &status, 0);
	ended("executed by a thread", status);
	/* descriptors that a process shares with another stay the other's */
	pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		executes(own), _exit(99);
	waitpid(pid, &status, 0);
	ended("with descriptors of another's", status);
	told("still open", fcntl(100, F_GETFD));
	close(100), close(101);
}

static int executed_by_a_thread(void)
{
	struct timespec while_ = { 0, 120000000 };
	char name[32];

	prctl(PR_GET_NAME, name);
	nanosleep(&while_, NULL);
	printf("its number %d, name %s, descriptors %d %d, ignored %d, caught %d\n", getpid() == syscall(SYS_gettid), name,
	    fcntl(100, F_GETFD), fcntl(101, F_GETFD), signal(SIGUSR2, SIG_DFL) == SIG_IGN, signal(SIGUSR1, SIG_DFL) == SIG_DFL);
	return 12;
}

/* Children whose parents end before them. */
static void orphans(void)
{
	struct timespec while_ = { 0, 30000000 };
	sigset_t set, old;
	int status, pipes[2];
	pid_t pid, child;

	pipe(pipes);
	for (int reaper = 0; reaper < 2; reaper++) {
		told("subreaper", prctl(PR_SET_CHILD_SUBREAPER, reaper));
		pid = fork();
		if (pid == 0) {
			for (int dead = 0; dead < 2; dead++)
				if ((child = fork()) == 0) {
					signal(SIGUSR1, note);
					prctl(PR_SET_PDEATHSIG, SIGUSR1);
					if (dead)
						_exit(40);
					while (!got[SIGUSR1])
						nanosleep(&while_, NULL);
					write(pipes[1], getppid() == pid ? "?" : "!", 1);
					_exit(41);
				}
			nanosleep(&while_, NULL), nanosleep(&while_, NULL);
			_exit(42);
		}
		waitpid(pid, &status, 0);
		ended("the parent", status);
		read(pipes[0], &status, 1);
		printf("told of its end: %c\n", (char)status);
		if (reaper) {
			int other;

			printf("two orphans %d", wait(&status) > 0);
			printf(" %d", wait(&other) > 0 ? WEXITSTATUS(status) + WEXITSTATUS(other) : 0);
			printf("\n");
		}
		told("no more", wait(&status));
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	/* a session's leader ends: what has stopped in another group of it can be continued by none any more */
	for (int other = 0; other < 2; other++) {
		pid = fork();
		if (pid == 0) {
			setsid();
			if ((child = fork()) == 0) {
				signal(SIGHUP, note), signal(SIGCONT, note);
				setpgid(0, other ? 0 : getppid());
				child = getpid();
				write(pipes[1], &child, sizeof child);
				raise(SIGSTOP);
				nanosleep(&while_, NULL);
				write(pipes[1], got[SIGHUP] ? "h" : "-", 1), write(pipes[1], got[SIGCONT] ? "c" : "-", 1);
				_exit(0);
			}
			waitpid(child, &status, WUNTRACED);
			ended("of the session", status);
			exit(0);
		}
		waitpid(pid, &status, 0);
		read(pipes[0], &child, sizeof child);
		if (!other)
			nanosleep(&while_, NULL), kill(child, SIGCONT);
		status = 0;
		read(pipes[0], &status, 1), read(pipes[0], (char *)&status + 1, 1);
		printf("it got %.2s\n", (char *)&status);
	}
	/* who does not want to know of children */
	for (int way = 0; way < 3; way++) {
		struct sigaction action = { .sa_handler = way ? note : SIG_IGN, .sa_flags = way == 1 ? SA_NOCLDWAIT : way ? SA_NOCLDSTOP : 0 };

		got[SIGCHLD] = 0;
		sigaction(SIGCHLD, &action, NULL);
		if ((pid = fork()) == 0) {
			if (way == 2)
				raise(SIGSTOP);
			_exit(44);
		}
		if (way == 2)
			waitpid(pid, &status, WUNTRACED), printf("told %d\n", got[SIGCHLD]), kill(pid, SIGCONT);
		told("waited", waitpid(pid, &status, 0) == pid ? 0 : -1);
		printf("told %d\n", got[SIGCHLD]);
	}
	signal(SIGCHLD, SIG_DFL);
	/* another signal than SIGCHLD, or none */
	signal(SIGUSR2, note);
	for (int number = SIGUSR2; number >= 0; number -= SIGUSR2) {
		pid = syscall(SYS_clone, number, 0, 0, 0, 0);
		if (pid == 0)
			_exit(45);
		told("by default", waitpid(pid, &status, 0) == pid ? 0 : -1);
		told("of any kind", waitpid(pid, &status, __WALL) == pid ? 0 : -1);
		printf("told %d\n", got[SIGUSR2]);
	}
	static const int senseless[] = { CLONE_THREAD, CLONE_SIGHAND, CLONE_THREAD | CLONE_SIGHAND, CLONE_FS | CLONE_NEWNS };
	for (unsigned i = 0; i < 4; i++)
		told("senseless", syscall(SYS_clone, senseless[i], 0, 0, 0, 0));
}

/* A tracer ends. */
static void tracers(void)
{
	struct timespec while_ = { 0, 50000000 };
	int status, pipes[2];
	pid_t tracer, child;

	for (int kill_ = 0; kill_ < 2; kill_++) {
		pipe(pipes);
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		if ((tracer = fork()) == 0) {
			if ((child = fork()) == 0) {
				ptrace(PTRACE_TRACEME, 0, NULL, NULL);
				raise(SIGSTOP);
				nanosleep(&while_, NULL);
				_exit(50);
			}
			waitpid(child, &status, 0);
			told("options", ptrace(PTRACE_SETOPTIONS, child, NULL, kill_ ? PTRACE_O_EXITKILL : 0));
			_exit(0);
		}
		waitpid(tracer, &status, 0);
		wait(&status);
		ended("traced", status);
		close(pipes[0]), close(pipes[1]);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Locks that hand on priorities, and a stack that is none. */
static void others(void)
{
	uint32_t word = 0x3ffffff0;
	int status;
	pid_t pid;

	told("of no thread", syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	if ((pid = fork()) == 0)
		sleeper(NULL);
	word = pid;
	told("of another", syscall(SYS_futex, &word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	kill(pid, SIGKILL), waitpid(pid, &status, 0);
	word = syscall(SYS_gettid);
	told("of its own", syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	told("unlocked", syscall(SYS_futex, &word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	told("not locked", syscall(SYS_futex, &word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	printf("%x\n", word);
#ifdef __aarch64__
#define NO_STACK "mov sp, %0\n str xzr, [%0]"
#elif defined(__x86_64__)
#define NO_STACK "mov %0, %%rsp; movl $0, (%%rsp)"
#else
#define NO_STACK "mov %0, %%esp; movl $0, (%%esp)"
#endif
	if ((pid = fork()) == 0) {
		signal(SIGSEGV, note);
		__asm__ volatile (NO_STACK : : "r"((uintptr_t)64) : "memory");
	}
	waitpid(pid, &status, 0);
	ended("without a stack", status);
}

/* A program that is executed is not written, nor is one executed that is being written. */
static void busy(void)
{
	int file, from = open(own, O_RDONLY);

	told("write", open(own, O_RDWR)), told("cut", open(own, O_RDONLY | O_TRUNC));
	put("busy", "#!/bin/sh\nexit 4\n", 17, 0700), file = open("busy", O_WRONLY | O_APPEND);
	executed("written", "busy", NULL), close(file);
	executed("whole", "busy", NULL), put("reads", "#!./busy\n", 9, 0700), file = open("busy", O_RDWR);
	executed("script", "reads", NULL), close(file), close(from), unlink("busy"), unlink("reads");
}

/* Programs without a name, and devices with another one. */
static void unnamed(void)
{
	char *words[] = { "sh", "-c", "exit 6", NULL };
	int file = open("copy", O_RDWR | O_CREAT, 0700), from = open("/bin/sh", O_RDONLY), status, each;
	static const int numbers[] = { 3, 5, 7, 99 };
	ssize_t count;
	static char bytes[1 << 16];

	while ((count = read(from, bytes, sizeof bytes)) > 0)
		write(file, bytes, count);
	close(file), file = open("copy", O_RDONLY | O_CLOEXEC), unlink("copy");
	if (fork() == 0)
		fexecve(file, words, environ), _exit(errno);
	wait(&status), ended("without a name", status), close(file), close(from);
	for (each = 0; each < 4; each++) {
		told("device", mknod("device", S_IFCHR | 0600, makedev(1, numbers[each])));
		told("open", file = open("device", O_RDWR)), told("write", write(file, "x", 1));
		told("read", read(file, bytes, 5)), close(file), unlink("device");
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1)
		return strcmp(argv[1], "thread") ? 11 : executed_by_a_thread();
	strcpy(own, argv[0]);
	alarm(30);
	scripts();
	mistaken();
	from_a_thread();
	orphans();
	tracers();
	others();
	busy();
	if (getenv("UNCONFINED") && getenv("EXT4"))
		unnamed();
	return 0;
}
