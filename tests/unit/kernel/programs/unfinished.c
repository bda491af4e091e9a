/* Instructions that fault after a part of their work: flags, registers and x87's status that a handler finds. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "vendor.h"

#ifdef __x86_64__
#define FLAGS REG_EFL
#define COUNT REG_RCX
#define FPREGS(context) ((const unsigned short *)(context)->uc_mcontext.fpregs)
#define BUILD(code, flags, from, to, count) __asm__ volatile ("push %0; popfq; " code "; cld" \
	: : "r"((long)(flags)), "S"(from), "D"(to), "c"((long)(count)), "a"(0x6161616161616161) : "memory", "cc")
#else
#define FLAGS REG_EFL
#define COUNT REG_ECX
#define FPREGS(context) ((const unsigned short *)((const char *)(context)->uc_mcontext.fpregs + 112))
#define BUILD(code, flags, from, to, count) do { \
	register const char *source __asm__("esi") = (from), *target __asm__("edi") = (to); \
	register int number __asm__("ecx") = (count); \
	__asm__ volatile ("pushl %3; popfl; " code "; cld" \
	    : "+r"(source), "+r"(target), "+r"(number) : "d"(flags), "a"(0x61616161) : "memory", "cc"); } while (0)
#endif

static sigjmp_buf after;

static void caught(int number, siginfo_t *info, void *where)
{
	ucontext_t *context = where;
	const unsigned short *status = FPREGS(context);

	long count = (long)context->uc_mcontext.gregs[COUNT];

	/* comparisons that fault change AMD's flags */
	printf(" signal %d flags %#lx", number, (unsigned long)context->uc_mcontext.gregs[FLAGS] & (is_amd() ? 0x400 : 0xcd5));
	printf(" count %ld x87 %#x %#x %#x\n", count >= 0 && count < 1000 ? count : -1, status[0], status[1], status[2] & 0xff);
	siglongjmp(after, 1);
}

#define TRY(name, ...) do { \
	printf("%s:", name); \
	fflush(stdout); \
	if (sigsetjmp(after, 1) == 0) { \
		__VA_ARGS__; \
		printf(" nothing\n"); \
	} \
	__asm__ volatile ("cld; fninit"); \
} while (0)

int main(void)
{
	static const int flags[] = { 0x202, 0x2d7, 0x8c3, 0x295 };
	static char handlers[65536];
	stack_t stack = { .ss_sp = handlers, .ss_size = sizeof handlers };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	char *end = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *volatile nothing;
	static const double numbers[] = { 0.3, 1e300, -1.0 / 0.0, 12.0 };

	mprotect(end, 4096, PROT_NONE);
	mprotect(end + 8192, 4096, PROT_NONE);
	end += 8192;
	nothing = end;
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (volatile int i = 0; i < 4; i++) {
		memset(end - 4096, 'a', 4096);
		TRY("repe cmpsb", BUILD("repe cmpsb", flags[i], end - 40, end - 16, 100));
		TRY("repe cmpsb at once", BUILD("repe cmpsb", flags[i], end, end - 16, 100));
		TRY("repe cmpsl backwards", BUILD("std; repe cmpsl", flags[i], end - 16, end - 4096 + 12, 100));
		TRY("repne scasb", BUILD("movb $'c', %%al; repne scasb", flags[i], end, end - 16, 30));
		TRY("repe scasw", BUILD("repe scasw", flags[i], end, end - 30, 30));
		TRY("ends and begins again", end[-9] = 'b';
		    BUILD("movb $'b', %%al; repne scasb; movb $'a', %%al; repe scasb", flags[i], end, end - 16, 40));
		TRY("fists", __asm__ volatile ("fldl %0; fists (%1)" : : "m"(numbers[i]), "r"(nothing) : "memory"));
		TRY("fisttpl", __asm__ volatile ("fldl %0; fisttpl (%1)" : : "m"(numbers[i]), "r"(nothing) : "memory"));
		TRY("fistpl of none", __asm__ volatile ("fistpl (%0)" : : "r"(nothing) : "memory"));
		TRY("fstpl", __asm__ volatile ("fldpi; fstps (%0)" : : "r"(nothing) : "memory"));
		TRY("fbstp", __asm__ volatile ("fldl %0; fbstp (%1)" : : "m"(numbers[i]), "r"(nothing) : "memory"));
	}
	return 0;
}
