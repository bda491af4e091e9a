/* A tree of processes; vfork, posix_spawn and exec; exit statuses and signals that end children. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int tree(int depth)
{
	int total = 1, status;

	for (int i = 0; i < 2 && depth > 0; i++)
		if (fork() == 0)
			_exit(tree(depth - 1));
	while (wait(&status) > 0)
		total += WEXITSTATUS(status);
	return total;
}

static void report(const char *what, int status)
{
	if (WIFEXITED(status))
		printf("%s exited %d\n", what, WEXITSTATUS(status));
	else
		printf("%s killed by %d%s\n", what, WTERMSIG(status), WCOREDUMP(status) ? " (core)" : "");
}

/* What waitid(2) tells of a child: its end by each way, and its stops. */
static void told(const char *what, idtype_t kind, pid_t pid, int options)
{
	siginfo_t info;
	int result;

	memset(&info, 0x55, sizeof info);
	errno = 0;
	result = waitid(kind, pid, &info, options);
	printf("%s: %d %s", what, result, strerror(errno));
	if (result == 0)
		printf(" signal %d code %d status %d, child %d, user %d", info.si_signo, info.si_code, info.si_status,
		       info.si_pid == pid, info.si_uid == getuid());
	putchar('\n');
}

static void waited(void)
{
	static const int ends[] = { 0, 1, 127, 128, 255, -SIGHUP, -SIGKILL, -SIGTERM, -SIGUSR2, -SIGALRM, -34, -64 };
	int going[2];
	pid_t pid;
	char byte = 0;

	pipe(going);
	for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		fflush(stdout);
		if ((pid = fork()) == 0) {
			if (ends[i] >= 0)
				_exit(ends[i]);
			kill(getpid(), -ends[i]);
			pause();
		}
		told("kept", P_PID, pid, WEXITED | WNOWAIT);
		told("taken", P_PID, pid, WEXITED);
		told("gone", P_PID, pid, WEXITED);
	}
	fflush(stdout);
	if ((pid = fork()) == 0) {
		raise(SIGSTOP);
		read(going[0], &byte, 1); /* nobody is told to have gone on who has stopped again */
		raise(SIGSTOP);
		_exit(3);
	}
	for (int i = 0; i < 2; i++) {
		told("stopped", P_PID, pid, WSTOPPED);
		told("not again", P_PID, pid, WSTOPPED | WEXITED | WNOHANG);
		kill(pid, SIGCONT);
		if (i == 0) {
			told("going on", P_PID, pid, WCONTINUED);
			write(going[1], &byte, 1);
		}
	}
	told("ended", P_PID, pid, WEXITED);
	told("no way", P_PID, pid, 0);
	told("no kind", 77, pid, WEXITED);
}

int main(int argc, char **argv)
{
	int status, *shared;
	pid_t pid;
	char *words[] = { argv[0], "again", NULL };

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) {
		printf("%s: %s\n", argv[1], getenv("MARK") ? getenv("MARK") : "unmarked");
		return 7;
	}
	printf("tree of %d\n", tree(3));

	if ((pid = vfork()) == 0) {
		execv(argv[0], words);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	report("vfork", status);

	setenv("MARK", "spawned", 1);
	posix_spawn(&pid, argv[0], NULL, NULL, words, environ);
	waitpid(pid, &status, 0);
	report("spawn", status);
	printf("missing: %s\n", strerror(posix_spawn(&pid, "/nonexistent", NULL, NULL, words, environ)));

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if ((pid = fork()) == 0) {
		*shared = 42;
		raise(SIGTERM);
		pause();
	}
	waitpid(pid, &status, 0);
	report("child", status);
	printf("shared %d\n", *shared);

	if ((pid = fork()) == 0) {
		struct rlimit none = { 0, 0 };
		setrlimit(RLIMIT_CORE, &none);
		abort();
	}
	waitpid(pid, &status, 0);
	report("abort", status & ~0x80);

	if ((pid = fork()) == 0) {
		raise(SIGSTOP);
		_exit(9);
	}
	waitpid(pid, &status, WUNTRACED);
	printf("stopped by %d\n", WSTOPSIG(status));
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	report("continued", status);
	printf("no more: %d %s\n", wait(&status), strerror(errno));
	waited();
	fflush(stdout);
	execl("/bin/sh", "sh", "-c", "echo from sh; exit 5", (char *)NULL);
	return 1;
}
