/* One process leads another by ptrace: system calls, signals, instructions, memory, children, threads. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* PC lies BEHIND a breakpoint; RESULT is ENTERING when close(-1) begins. */
#ifdef __x86_64__
#define PC rip
#define NUMBER orig_rax
#define RESULT rax
#elif defined(__i386__)
#define PC eip
#define NUMBER orig_eax
#define RESULT eax
#else
#define PC pc
#define NUMBER regs[8]
#define RESULT regs[0]
#endif
#ifdef __aarch64__
#define ENTERING -1
#define BEHIND 0
#define BREAKPOINT TRAP_BRKPT
#define TRAP 0xd4200000L
#define TRAP_MASK 0xffffffffL
#else
#define ENTERING -ENOSYS
#define BEHIND 1
#define BREAKPOINT SI_KERNEL
#define TRAP 0xccL
#define TRAP_MASK 0xffL
#endif

static volatile long cell = 17;
static char path[4096];

static void told(const char *what, long result)
{
	printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}

/* As a set of registers, which x86 has requests of its own for, too. */
static void registers(int request, pid_t pid, struct user_regs_struct *regs)
{
#ifdef __aarch64__
	struct iovec place = { regs, sizeof *regs };

	ptrace(request, pid, (void *)NT_PRSTATUS, &place);
#else
	ptrace(request == PTRACE_GETREGSET ? PTRACE_GETREGS : PTRACE_SETREGS, pid, NULL, regs);
#endif
}

/* The processor has no breakpoints of its own, or they are left alone. */
static long breakpoints(pid_t pid)
{
#ifdef __aarch64__
	char room[512];
	struct iovec place = { room, sizeof room };

	return ptrace(PTRACE_GETREGSET, pid, (void *)0x402, &place);
#else
	return ptrace(PTRACE_POKEUSER, pid, (void *)offsetof(struct user, u_debugreg[7]), NULL);
#endif
}

static void report(const char *what, pid_t pid)
{
	int status;
	pid_t got = waitpid(pid, &status, __WALL);

	printf("%s: ", what);
	if (got < 0)
		printf("%s\n", strerror(errno));
	else if (WIFSTOPPED(status))
		printf("stopped by %d, event %d\n", WSTOPSIG(status), status >> 16);
	else if (WIFSIGNALED(status))
		printf("killed by %d\n", WTERMSIG(status));
	else
		printf("exited %d\n", WEXITSTATUS(status));
}

static pid_t start(int (*run)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(run());
	}
	report("started", pid);
	return pid;
}

static int calls(void)
{
	getppid();
	return close(-1) == -1 ? 6 : 7;
}

static void lead_calls(void)
{
	struct user_regs_struct regs;
	pid_t pid = start(calls);
	int status, stops = 0;

	told("options", ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD));
	while (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		registers(PTRACE_GETREGSET, pid, &regs);
		stops++;
		if (regs.NUMBER == SYS_close && stops % 2 == 1)
			printf("close enters with %d, stop %x\n", (int)(long)regs.RESULT == ENTERING, status >> 8);
		else if (regs.NUMBER == SYS_close) {
			printf("close leaves with %d\n", (int)(long)regs.RESULT);
			regs.RESULT = 0;
			registers(PTRACE_SETREGSET, pid, &regs);
		}
	}
	printf("%d stops, exited %d\n", stops, WEXITSTATUS(status));
	told("gone", ptrace(PTRACE_CONT, pid, NULL, NULL));
}

static int signals(void)
{
	raise(SIGUSR1);
	raise(SIGTERM);
	raise(SIGCHLD);
	return 8;
}

static void lead_signals(void)
{
	pid_t pid = start(signals);
	siginfo_t info;

	told("running is not stopped", ptrace(PTRACE_CONT, pid, NULL, NULL));
	report("signal", pid);
	ptrace(PTRACE_GETSIGINFO, pid, NULL, &info);
	printf("signal %d, code %d, of itself %d\n", info.si_signo, info.si_code, info.si_pid == pid);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	report("kept from it", pid);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	report("ignored", pid);
	ptrace(PTRACE_CONT, pid, NULL, (void *)SIGUSR2);
	report("another in its place", pid);
}

__attribute__((noinline)) static int marked(int value)
{
	__asm__ volatile("nop");
	return value + 1;
}

static int steps(void)
{
	cell = marked(40);
	return (int)cell;
}

static void lead_steps(void)
{
	struct user_regs_struct regs;
	uintptr_t at = (uintptr_t)marked;
	pid_t pid = start(steps);
	siginfo_t info;
	long text;
	int count = 0, status;

	told("peeked", ptrace(PTRACE_PEEKDATA, pid, (void *)&cell, NULL));
	told("poked", ptrace(PTRACE_POKEDATA, pid, (void *)&cell, (void *)23));
	told("peeked", ptrace(PTRACE_PEEKDATA, pid, (void *)&cell, NULL));
	told("no breakpoint of the processor's", breakpoints(pid));
	told("nowhere", ptrace(PTRACE_PEEKDATA, pid, (void *)16, NULL));
	text = ptrace(PTRACE_PEEKTEXT, pid, (void *)at, NULL);
	ptrace(PTRACE_POKETEXT, pid, (void *)at, (void *)((text & ~TRAP_MASK) | TRAP));
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	report("breakpoint", pid);
	registers(PTRACE_GETREGSET, pid, &regs);
	ptrace(PTRACE_GETSIGINFO, pid, NULL, &info);
	printf("behind it by %d, code %d\n", (int)(regs.PC - at) - BEHIND, info.si_code == BREAKPOINT);
	ptrace(PTRACE_POKETEXT, pid, (void *)at, (void *)text);
	regs.PC = at;
	registers(PTRACE_SETREGSET, pid, &regs);
	while (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status) && count < 3) {
		registers(PTRACE_GETREGSET, pid, &regs);
		ptrace(PTRACE_GETSIGINFO, pid, NULL, &info);
		count++;
		printf("step %d: signal %d, code %d, on %d\n", count, WSTOPSIG(status), info.si_code, regs.PC > at);
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	report("stepped", pid);
}

static void *thread(void *argument)
{
	return argument;
}

static int family(void)
{
	pthread_t made;
	pid_t pid = fork();
	char *words[] = { path, "again", NULL };

	if (pid == 0)
		_exit(3);
	waitpid(pid, NULL, 0);
	pthread_create(&made, NULL, thread, NULL);
	pthread_join(made, NULL);
	if (vfork() == 0)
		_exit(4);
	wait(NULL);
	execv(path, words);
	return 1;
}

static void lead_family(void)
{
	int forks = 0, clones = 0, vforks = 0, dones = 0, execs = 0, exits = 0, ends = 0, stops = 0, status, last = 0;
	pid_t pid = start(family), got;
	unsigned long made;

	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORK |
	       PTRACE_O_TRACEEXEC | PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	while ((got = waitpid(-1, &status, __WALL)) > 0) {
		int event = status >> 16, signal = 0;

		if (!WIFSTOPPED(status)) {
			ends++;
			if (got == pid)
				last = WEXITSTATUS(status);
			continue;
		}
		forks += event == PTRACE_EVENT_FORK;
		clones += event == PTRACE_EVENT_CLONE;
		vforks += event == PTRACE_EVENT_VFORK;
		dones += event == PTRACE_EVENT_VFORK_DONE;
		execs += event == PTRACE_EVENT_EXEC;
		exits += event == PTRACE_EVENT_EXIT;
		if (event == PTRACE_EVENT_EXIT && got == pid && ptrace(PTRACE_GETEVENTMSG, got, NULL, &made) == 0)
			printf("about to exit with %lx\n", made);
		if (event == PTRACE_EVENT_FORK && ptrace(PTRACE_GETEVENTMSG, got, NULL, &made) == 0)
			printf("a child is told of %d\n", (pid_t)made > pid);
		if (!event && WSTOPSIG(status) == SIGSTOP)
			stops++;
		else if (!event)
			signal = WSTOPSIG(status);
		ptrace(PTRACE_CONT, got, NULL, (void *)(long)signal);
	}
	printf("fork %d, clone %d, vfork %d and done %d, exec %d, exits %d, first stops %d, ends %d, the last %d\n", forks,
	       clones, vforks, dones, execs, exits, stops, ends, last);
}

static void attach(void)
{
	struct iovec here, there;
	int status, results[2];
	char text[16] = "";
	pid_t pid;

	pipe(results);
	if ((pid = fork()) == 0) {
		char byte;

		cell = 99;
		write(results[1], "r", 1);
		while (read(results[0], &byte, 1) == 1 && byte != 'q')
			write(results[1], &byte, 1), usleep(1000);
		_exit(cell == 5 ? 2 : 1);
	}
	usleep(50000);
	told("attach", ptrace(PTRACE_ATTACH, pid, NULL, NULL));
	report("attached", pid);
	told("again", ptrace(PTRACE_ATTACH, pid, NULL, NULL));
	told("cell", ptrace(PTRACE_PEEKDATA, pid, (void *)&cell, NULL));
	told("detach", ptrace(PTRACE_DETACH, pid, NULL, NULL));
	told("no more", ptrace(PTRACE_PEEKDATA, pid, (void *)&cell, NULL));
	told("seize", ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	told("interrupt", ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
	report("interrupted", pid);
	here.iov_base = text, here.iov_len = sizeof cell;
	there.iov_base = (void *)&cell, there.iov_len = sizeof cell;
	told("read from it", process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof cell ? *(long *)text : -1);
	*(long *)text = 5;
	told("written to it", process_vm_writev(pid, &here, 1, &there, 1, 0) == sizeof cell);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	kill(pid, SIGSTOP);
	report("a signal", pid);
	ptrace(PTRACE_CONT, pid, NULL, (void *)SIGSTOP);
	report("and the stop", pid);
	told("listen", ptrace(PTRACE_LISTEN, pid, NULL, NULL));
	kill(pid, SIGCONT);
	report("over", pid);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	report("its signal", pid);
	told("detach", ptrace(PTRACE_DETACH, pid, NULL, NULL));
	write(results[1], "q", 1);
	waitpid(pid, &status, 0);
	told("exited", WEXITSTATUS(status));
	if ((pid = fork()) == 0)
		for (;;)
			pause();
	usleep(50000);
	ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	told("interrupt a sleeper", ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
	report("interrupted", pid);
	kill(pid, SIGKILL);
	report("killed", pid);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	strcpy(path, argv[0]);
	if (argc > 1)
		return 11;
	alarm(20);
	lead_calls();
	lead_signals();
	lead_steps();
	lead_family();
	attach();
	return 0;
}
