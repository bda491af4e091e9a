/* Requests of ptrace(2) and another's memory: all that there are and some that there are none, in and out of place. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#define BAD ((void *)8)

static long word, there[1024] = { 0x1234567, 0x7654321 };
static char *end; /* a page that can be written, one that cannot, and none */

static pid_t stopped_one(int seized)
{
	int status;
	pid_t child = fork();

	if (!child) {
		if (!seized)
			ptrace(PTRACE_TRACEME, 0, 0, 0), raise(SIGSTOP);
		for (;;)
			pause();
	}
	if (seized)
		say(syscall(SYS_ptrace, PTRACE_SEIZE, child, 0, 0)), say(syscall(SYS_ptrace, PTRACE_INTERRUPT, child, 0, 0));
	waitpid(child, &status, __WALL);
	return child;
}

static pid_t child;

/* What it stops for next; with `none`, whether it stops at all. */
static void stop(int none)
{
	int status = 0;
	siginfo_t info = { 0 };

	if (none)
		usleep(5000);
	if (waitpid(child, &status, __WALL | (none ? WNOHANG : 0)) == 0)
		printf(" goes on;");
	else
		printf(" %x", status), say(ptrace(PTRACE_GETSIGINFO, child, 0, &info)), printf(" %d %x %d;", info.si_signo, info.si_code, info.si_pid == child);
}

static void asked(int request, int data)
{
	say(syscall(SYS_ptrace, request, child, 0, data));
}

static void going_on(int listening)
{
	kill(child, SIGCONT);
	if (listening)
		stop(0);
	else
		stop(1), asked(PTRACE_CONT, 0), stop(0);
	asked(PTRACE_CONT, 0), stop(0), asked(PTRACE_CONT, 0), stop(1);
}

static void stopping(void)
{
	kill(child, SIGSTOP), stop(0), asked(PTRACE_LISTEN, 0), asked(PTRACE_CONT, SIGSTOP), stop(0);
}

static void listening(void)
{
	int status;

	if (!(child = fork()))
		for (;;)
			pause();
	printf("seized:"), asked(PTRACE_SEIZE, 0), kill(child, SIGCONT), stop(0);
	asked(PTRACE_CONT, 0), stop(0), asked(PTRACE_CONT, 0), asked(PTRACE_CONT, 0);
	printf("\ninterrupted:"), asked(PTRACE_INTERRUPT, 0), stop(0), asked(PTRACE_INTERRUPT, 0), stop(1);
	asked(PTRACE_CONT, 0), stop(0), asked(PTRACE_CONT, 0), stop(1);
	printf("\nlistening:"), asked(PTRACE_INTERRUPT, 0), stop(0), asked(PTRACE_LISTEN, 0), asked(PTRACE_CONT, 0), asked(PTRACE_LISTEN, 0), stop(1);
	asked(PTRACE_INTERRUPT, 0), stop(0), asked(PTRACE_LISTEN, 0), kill(child, SIGSTOP), stop(1), going_on(1);
	printf("\nin a stop:"), stopping(), asked(PTRACE_LISTEN, 0), stop(1), asked(PTRACE_INTERRUPT, 0), stop(0), asked(PTRACE_LISTEN, 0), going_on(1);
	printf("\nnot listening:"), stopping(), going_on(0);
	printf("\ncontinued:"), stopping(), asked(PTRACE_CONT, 0), stop(1), going_on(1);
	kill(child, SIGKILL), waitpid(child, &status, 0);
	putchar('\n');
}

#ifndef __aarch64__
static void of_each_kind(void)
{
	long room[128], size = sizeof(struct user), general = sizeof(struct user_regs_struct);
	int status;
	word = 5;
	for (int seized = 0; seized < 2; seized++) {
		pid_t child = stopped_one(seized);

		printf("\ntraced, seized %d:", seized);
		say(syscall(SYS_ptrace, 0x7777, child, 0, 0)), say(syscall(SYS_ptrace, PTRACE_CONT, getpid(), 0, 0)), say(syscall(SYS_ptrace, PTRACE_CONT, 1, 0, 0));
		say(syscall(SYS_ptrace, PTRACE_CONT, 99999, 0, 0)), say(syscall(SYS_ptrace, PTRACE_ATTACH, child, 0, 0)), say(syscall(SYS_ptrace, PTRACE_SEIZE, child, 0, 0));
		say(syscall(SYS_ptrace, PTRACE_ATTACH, getpid(), 0, 0)), say(syscall(SYS_ptrace, PTRACE_SEIZE, child, 1, 0)), say(syscall(SYS_ptrace, PTRACE_SEIZE, child, 0, 1 << 30));
		printf("\nmemory:");
		for (int request = PTRACE_PEEKTEXT; request <= PTRACE_PEEKDATA; request++) {
			say(syscall(SYS_ptrace, request, child, there, room)), say(room[0]), say(syscall(SYS_ptrace, request, child, (char *)there + 3, room)), say(room[0]);
			say(syscall(SYS_ptrace, request, child, 8, room)), say(syscall(SYS_ptrace, request, child, there, BAD)), say(syscall(SYS_ptrace, request, child, end + 8192 - 3, room));
			say(syscall(SYS_ptrace, request, child, end + 8192 - sizeof(long), room));
		}
		for (int request = PTRACE_POKETEXT; request <= PTRACE_POKEDATA; request++) {
			say(syscall(SYS_ptrace, request, child, &word, 77L + request)), say(syscall(SYS_ptrace, PTRACE_PEEKDATA, child, &word, room)), say(room[0]), say(word);
			say(syscall(SYS_ptrace, request, child, 8, 1)), say(syscall(SYS_ptrace, request, child, end + 4096, 9)), say(syscall(SYS_ptrace, PTRACE_PEEKDATA, child, end + 4096, room)), say(room[0]);
		}
		printf("\nuser:");
		for (long at = -8; at < size + 16; at += at < general + 32 || at > size - 16 ? 1 : 8) {
			if (at >= general && at < size && at % 8 || at % 4 && at > 64 && at < size - 16)
				continue;
			int known = at < general || at >= size;
			long result = known ? syscall(SYS_ptrace, PTRACE_PEEKUSER, child, at, room) : 0;
			if (result || at < 0)
				printf(" %ld:", at), say(result);
		}
		say(syscall(SYS_ptrace, PTRACE_PEEKUSER, child, 0, BAD));
		for (int i = 0; i < 9; i++) {
			static const long values[] = { 0, 1, 0x123, -1 };
			for (int v = 0; v < 4; v++) {
				long at = i == 8 ? (long)offsetof(struct user, u_debugreg) - (long)sizeof(long) : (long)offsetof(struct user, u_debugreg[i]);
				if (!values[v] || i == 8)
					say(syscall(SYS_ptrace, PTRACE_POKEUSER, child, at, values[v]));
			}
		}
		say(syscall(SYS_ptrace, PTRACE_POKEUSER, child, size, 0)), say(syscall(SYS_ptrace, PTRACE_POKEUSER, child, 3, 0)), say(syscall(SYS_ptrace, PTRACE_POKEUSER, child, -8, 0));
		say(syscall(SYS_ptrace, PTRACE_POKEUSER, child, 2 * sizeof(long), 0x4321)), say(syscall(SYS_ptrace, PTRACE_PEEKUSER, child, 2 * sizeof(long), room)), say(room[0]);
		printf("\nsets:");
		for (int note = 0; note < 4; note++)
			for (int length = 0; length < 6; length++) {
				static const int lengths[] = { 0, 1, 4, 8, 16, 1000 };
				struct iovec vector = { room, lengths[length] };
				long result = syscall(SYS_ptrace, PTRACE_GETREGSET, child, note, &vector);
				say(result), say(vector.iov_len);
				vector.iov_len = lengths[length];
				if (result >= 0 && note == 1)
					say(syscall(SYS_ptrace, PTRACE_SETREGSET, child, note, &vector)), say(vector.iov_len);
			}
		say(syscall(SYS_ptrace, PTRACE_GETREGSET, child, 1, BAD)), say(syscall(SYS_ptrace, PTRACE_GETREGSET, child, 1, &(struct iovec){ BAD, 16 }));
		say(syscall(SYS_ptrace, PTRACE_SETREGSET, child, 1, BAD)), say(syscall(SYS_ptrace, PTRACE_SETREGSET, child, 1, &(struct iovec){ BAD, 16 }));
		say(syscall(SYS_ptrace, PTRACE_GETREGS, child, 0, BAD)), say(syscall(SYS_ptrace, PTRACE_SETREGS, child, 0, BAD)), say(syscall(SYS_ptrace, PTRACE_GETFPREGS, child, 0, BAD)), say(syscall(SYS_ptrace, PTRACE_SETFPREGS, child, 0, BAD));
		printf("\noptions:");
		for (int bit = 0; bit < 32; bit++)
			say(bit >= 20 && bit < 22 ? 0 : syscall(SYS_ptrace, PTRACE_SETOPTIONS, child, 0, 1L << bit));
		say(syscall(SYS_ptrace, PTRACE_SETOPTIONS, child, 0, 0));
		room[0] = 7;
		say(syscall(SYS_ptrace, PTRACE_GETEVENTMSG, child, 0, room)), say(room[0]), say(syscall(SYS_ptrace, PTRACE_GETEVENTMSG, child, 0, BAD));
		for (int length = 0; length < 17; length += 4) {
			memset(room, 0x55, 32);
			say(syscall(SYS_ptrace, 0x420a, child, length, room)), say(room[0]), say(room[1]);
			memset(room, 0, 32);
			room[0] = 0x7fffffff;
			say(syscall(SYS_ptrace, 0x420b, child, length, room));
			say(syscall(SYS_ptrace, 0x420a, child, length, room)), say(room[0]);
		}
		say(syscall(SYS_ptrace, 0x420a, child, 8, BAD)), say(syscall(SYS_ptrace, 0x420b, child, 8, BAD));
		memset(room, 0, sizeof room);
		say(syscall(SYS_ptrace, PTRACE_GETSIGINFO, child, 0, room));
		for (int i = 0; i < 3; i++)
			say(((int *)room)[i]);
		say(syscall(SYS_ptrace, PTRACE_GETSIGINFO, child, 0, BAD)), say(syscall(SYS_ptrace, PTRACE_SETSIGINFO, child, 0, BAD));
		for (int length = 0; length < 100; length += 12) {
			memset(room, 0x55, 100);
			say(syscall(SYS_ptrace, 0x420e, child, length, room)), say(((char *)room)[0]), say(((char *)room)[length - !!length]  == 0x55), say(((char *)room)[length] == 0x55);
		}
		say(syscall(SYS_ptrace, 0x420e, child, 80, BAD));
		printf("\ngoing on:");
		say(seized ? 0 : syscall(SYS_ptrace, PTRACE_LISTEN, child, 0, 0)), say(syscall(SYS_ptrace, PTRACE_CONT, child, 0, -1)), say(syscall(SYS_ptrace, PTRACE_CONT, child, 0, 65)), say(syscall(SYS_ptrace, PTRACE_CONT, child, 0, 1000));
		say(syscall(SYS_ptrace, PTRACE_SYSCALL, child, 0, 65)), say(syscall(SYS_ptrace, PTRACE_SINGLESTEP, child, 0, 65)), say(syscall(SYS_ptrace, PTRACE_DETACH, child, 0, 65));
		say(syscall(SYS_ptrace, PTRACE_INTERRUPT, child, 0, 0));
		say(syscall(SYS_ptrace, PTRACE_CONT, child, 0, SIGTERM));
		if (seized)
			waitpid(child, &status, __WALL), say(status);
		say(syscall(SYS_ptrace, PTRACE_CONT, child, 0, 0)), say(syscall(SYS_ptrace, PTRACE_KILL, child, 0, 0));
		kill(child, SIGKILL), waitpid(child, &status, 0);
	}
}
#endif

static void of_files(void)
{
	int own = memfd_create("own", 0), status;
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	int process = syscall(434, child, 0), theirs = syscall(438, process, own, 0); /* pidfd_open, pidfd_getfd */
	printf("files:");
	say(theirs >= 0), say(fcntl(theirs, F_GETFD)), say(write(theirs, "abc", 3)), say(lseek(own, 0, SEEK_CUR)), close(theirs), say(syscall(438, process, 900, 0)), say(syscall(438, process, own, 1)), say(syscall(438, own, 0, 0)), say(syscall(438, -1, 0, 0));
	kill(child, SIGKILL), waitpid(child, &status, 0), say(syscall(438, process, own, 0)), close(process), close(own), putchar('\n');
}

static void of_another(void)
{
	int status;
	pid_t child = stopped_one(0);
	printf("\nof another:");
	for (int local = 0; local < 7; local++)
		for (int remote = 0; remote < 7; remote++) {
			static const struct { int at, size; } all[] = { { 0, 0 }, { 0, 10 }, { 4090, 12 }, { 8185, 7 }, { 8185, 20 }, { 8200, 5 }, { 100, -1 } };
			char *buffer = (char *)there;
			struct iovec mine[2] = { { buffer, all[local].size }, { end, 5 } }, other[2] = { { end + all[remote].at, all[remote].size }, { end, 3 } };
			for (int i = 1; i < 3; i++)
				say(syscall(SYS_process_vm_readv, child, mine, i, other, i, 0)), say(syscall(SYS_process_vm_writev, child, mine, i, other, i, 0));
			mine[0].iov_base = end + all[local].at;
			say(syscall(SYS_process_vm_readv, child, mine, 1, other, 1, 0)), say(syscall(SYS_process_vm_writev, child, mine, 1, other, 1, 0));
		}
	struct iovec one = { there, 8 };
	say(syscall(SYS_process_vm_readv, child, &one, 1, &one, 1, 1)), say(syscall(SYS_process_vm_readv, 99999, &one, 1, &one, 1, 0)), say(syscall(SYS_process_vm_readv, child, BAD, 1, &one, 1, 0));
	say(syscall(SYS_process_vm_readv, child, &one, 1, BAD, 1, 0)), say(syscall(SYS_process_vm_readv, child, &one, 1025, &one, 1, 0)), say(syscall(SYS_process_vm_readv, child, &one, 1, &one, 1025, 0));
	say(syscall(SYS_process_vm_readv, child, &one, 0, &one, 1, 0)), say(syscall(SYS_process_vm_readv, child, &one, 1, &one, 0, 0)), say(syscall(SYS_process_vm_writev, 99999, &one, 0, &one, 1, 0));
	say(syscall(SYS_process_vm_writev, child, &one, -1, &one, 1, 0)), say(syscall(SYS_process_vm_writev, 99999, &one, 1, BAD, 1, 0));
	kill(child, SIGKILL), waitpid(child, &status, 0);
	putchar('\n');
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	end = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(end + 4096, 4096, PROT_READ), munmap(end + 8192, 4096);
	listening();
#ifndef __aarch64__
	of_each_kind();
#endif
	of_files();
	of_another();
	return 0;
}
