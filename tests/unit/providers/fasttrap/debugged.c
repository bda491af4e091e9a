/*
 * A debugger and its program: a breakpoint on visited(), placed before the first call or after some, and taken
 * away after some hits; or single steps from the beginning of visited() to its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#define	CALLS	10
#define	TRAP(word) (((word) & ~0xffL) | 0xcc)

static volatile int sum;

static __attribute__((noinline, noclone)) void
visited(int n)
{
	sum += n;
}

static void
work(void)
{
	(void) ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	(void) raise(SIGSTOP);
	for (int i = 0; i < CALLS; i++) {
		getppid();			/* a mark */
		visited(i);
	}
	_exit(sum == 45 ? 0 : 9);
}

int
main(int argc, char **argv)
{
	int place_at = atoi(argv[1]), remove_at = atoi(argv[2]), steps = argc > 3;
	int status, hits = 0, placed = 0, calls = 0, stepped = 0;
	void *address = (void *)visited;
	struct user_regs_struct registers;
	pid_t child = fork();
	long word;

	if (child == 0)
		work();
	(void) waitpid(child, &status, 0);
	word = ptrace(PTRACE_PEEKTEXT, child, address, NULL);
	if (place_at == 0 && ++placed)
		(void) ptrace(PTRACE_POKETEXT, child, address, (void *)TRAP(word));
	(void) ptrace(place_at != 0 ? PTRACE_SYSCALL : PTRACE_CONT, child, NULL, NULL);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		(void) ptrace(PTRACE_GETREGS, child, NULL, &registers);
		if (placed && (void *)registers.rip == (char *)address + 1) {
			hits++;
			registers.rip--;
			(void) ptrace(PTRACE_SETREGS, child, NULL, &registers);
			(void) ptrace(PTRACE_POKETEXT, child, address, (void *)word);
			do {
				(void) ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
				(void) waitpid(child, &status, 0);
				(void) ptrace(PTRACE_GETREGS, child, NULL, &registers);
				stepped++;
			} while (steps && (char *)registers.rip - (char *)address < 16 &&
			    (char *)registers.rip > (char *)address);
			if (hits == remove_at)
				placed = -1;
			else
				(void) ptrace(PTRACE_POKETEXT, child, address, (void *)TRAP(word));
		} else if (placed == 0 && ++calls / 2 == place_at) {
			placed = 1;
			(void) ptrace(PTRACE_POKETEXT, child, address, (void *)TRAP(word));
		}
		(void) ptrace(placed == 0 ? PTRACE_SYSCALL : PTRACE_CONT, child, NULL, NULL);
	}
	printf("status %d, %d hits, %d steps\n", WEXITSTATUS(status), hits, stepped);
	return (0);
}
