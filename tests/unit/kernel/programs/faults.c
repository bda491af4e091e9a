/* Exceptions of the processor: what a handler is told of each. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "vendor.h"

static sigjmp_buf after;
static volatile char *code;

static void check_alignment(int on)
{
#ifdef __x86_64__
	__asm__ volatile ("pushfq; andq $~0x40000, (%%rsp); orq %0, (%%rsp); popfq" : : "r"((long)on << 18) : "memory", "cc");
#else
	__asm__ volatile ("pushfl; andl $~0x40000, (%%esp); orl %0, (%%esp); popfl" : : "r"(on << 18) : "memory", "cc");
#endif
}

static void caught(int number, siginfo_t *info, void *where)
{
	check_alignment(0);
	greg_t *registers = ((ucontext_t *)where)->uc_mcontext.gregs;
#ifdef __x86_64__
	char *pc = (char *)registers[REG_RIP];
#else
	char *pc = (char *)registers[REG_EIP];
#endif
	printf(" signal %d code %d trap %d error %#x", number, info->si_code, (int)registers[REG_TRAPNO],
	    (unsigned)registers[REG_ERR]);
	if (number == SIGSEGV || number == SIGBUS)
		printf(" address %p", info->si_addr);
	printf(" at %d\n", (int)(pc - (char *)code));
	siglongjmp(after, 1);
}

struct trial {
	const char *name;
	unsigned char bytes[16];
};

static const struct trial trials[] = {
	{ "ud2", { 0x0f, 0x0b } },
	{ "hlt", { 0xf4 } },
	{ "in", { 0xe4, 0x80 } },
	{ "in dx", { 0xed } },
	{ "out", { 0xe6, 0x80 } },
	{ "insb", { 0x6c } },
	{ "cli", { 0xfa } },
	{ "int3", { 0xcc } },
	{ "int 3", { 0xcd, 0x03 } },
	{ "int 4", { 0xcd, 0x04 } },
	{ "int 0", { 0xcd, 0x00 } },
	{ "int 0x0d", { 0xcd, 0x0d } },
	{ "int 0x81", { 0xcd, 0x81 } },
	{ "int 0xff", { 0xcd, 0xff } },
	{ "int1", { 0xf1 } },
	{ "rdpmc", { 0x0f, 0x33 } },
	{ "rdmsr", { 0x0f, 0x32 } },
	{ "mov cr0", { 0x0f, 0x20, 0xc0 } },
	{ "wbinvd", { 0x0f, 0x09 } },
	{ "ldmxcsr", { 0x0f, 0xae, 0x13 } },
	{ "movaps", { 0x0f, 0x28, 0x43, 0x01 } },
	{ "movaps to memory", { 0x0f, 0x29, 0x43, 0x01 } },
	{ "movups", { 0x0f, 0x10, 0x43, 0x01 } },
	{ "paddd", { 0x66, 0x0f, 0xfe, 0x43, 0x04 } },
	{ "cmpps 0x22", { 0x0f, 0xc2, 0xc1, 0x22 } },
	{ "add to nothing", { 0x01, 0x01 } },
	{ "bts in nothing", { 0x0f, 0xab, 0x01 } },
	{ "div by zero", { 0xf6, 0xf1 } },
#ifdef __x86_64__
	{ "no address", { 0x8a, 0x02 } },
	{ "no address on the stack", { 0x8a, 0x45, 0x00 } },
	{ "kernel's address", { 0x8a, 0x06 } },
#endif
};

static char *edge;
static long flags_of_interest;

/* What a handler finds of a string instruction that has met the end of its memory. */
static void stopped(int number, siginfo_t *info, void *where)
{
	greg_t *registers = ((ucontext_t *)where)->uc_mcontext.gregs;
#ifdef __x86_64__
	long si = registers[REG_RSI], di = registers[REG_RDI], cx = registers[REG_RCX], flags = registers[REG_EFL];
#else
	long si = registers[REG_ESI], di = registers[REG_EDI], cx = registers[REG_ECX], flags = registers[REG_EFL];
#endif
	__asm__ volatile ("cld");
	printf(" signal %d at %d: count %ld source %d target %d flags %#lx", number, (int)((char *)info->si_addr - edge), cx,
	    (int)((char *)si - edge), (int)((char *)di - edge), flags & flags_of_interest);
	siglongjmp(after, 1);
}

/* Instructions on strings, at both ends of memory and in both directions: what has been done then.  (The flags of
 * comparisons are those of the last one or of before all, as the processor likes.) */
static void strings(void)
{
	static const unsigned char instructions[] = { 0xa4, 0xa5, 0xaa, 0xab, 0xac, 0xad, 0xa6, 0xa7, 0xae, 0xaf };
	struct sigaction action = { .sa_sigaction = stopped, .sa_flags = SA_SIGINFO | SA_NODEFER };
	char *pages = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaction(SIGSEGV, &action, NULL);
	munmap(pages + 4096, 4096);
	for (volatile unsigned i = 0; i < 3 * sizeof instructions * 4; i++) {
		const int repeats = i % 3, down = i / 3 % 2, source = i / 6 % 2;
		const unsigned char which = instructions[i / 12];
		unsigned char bytes[] = { down ? 0xfd : 0xfc, 0x39, 0xc0, 0xf9, repeats == 1 ? 0xf2 : repeats == 2 ? 0xf3 : 0x90, which,
		    0xfc, 0xc3 };
		long count = 10;
		memset(pages, 0, 4096);
		memset(pages + 2 * 4096, 0, 2 * 4096);
		edge = down ? pages + 2 * 4096 : pages + 4096;
		char *near = down ? edge + 5 : edge - 6, *far = pages + 3 * 4096, *from = source ? near : far, *to = source ? far : near;
		if (which >= 0xa6 && repeats == 1)
			memset(source ? near - 5 : far - 100, 1, source ? 11 : 200);	/* nothing is equal */
		flags_of_interest = which == 0xa6 || which == 0xa7 || which >= 0xae ? 0x400 : 0xcd5;
		memcpy((char *)code, bytes, sizeof bytes);
		printf("%02x %02x %s %s:", bytes[4], which, down ? "down" : "up", source ? "from" : "to");
		fflush(stdout);
		if (sigsetjmp(after, 1) == 0) {
			__asm__ volatile ("call *%3" : "+S"(from), "+D"(to), "+c"(count) : "r"(code), "a"(0) : "memory", "cc");
			printf(" count %ld", count);
		}
		unsigned sum = 0;
		for (int at = 0; at < 4096; at++)
			sum = sum * 31 + (unsigned char)pages[at] + (unsigned char)pages[2 * 4096 + at] * 7;
		printf(" sum %u\n", sum);
	}
}

int main(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	static char memory[64] __attribute__((aligned(64)));
	static char handlers[65536];
	stack_t stack = { .ss_sp = handlers, .ss_size = sizeof handlers };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	memset(memory, 0xff, sizeof memory);
	sigaltstack(&stack, NULL);
	for (int i = 0; i < 5; i++)
		sigaction(signals[i], &action, NULL);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (volatile unsigned i = 0; i < sizeof trials / sizeof trials[0]; i++) {
		/* the trap of a guest on AMD's processors may be told to be at the instruction, not behind it */
		if (is_amd() && trials[i].bytes[0] == 0xf1)
			continue;
		memset((char *)code, 0x90, 64);
		memcpy((char *)code, trials[i].bytes, sizeof trials[i].bytes);
		for (int last = 15; last > 0 && trials[i].bytes[last] == 0; last--)
			code[last] = 0x90;
		if (strstr(trials[i].name, "int 0") == trials[i].name && trials[i].bytes[1] == 0)
			code[1] = 0;
		if (trials[i].bytes[1] == 0x45)
			code[2] = 0;
		code[16] = 0xc3;
		printf("%s:", trials[i].name);
		fflush(stdout);
		if (sigsetjmp(after, 1) == 0) {
#ifdef __x86_64__
			__asm__ volatile ("push %%rbp; mov %3, %%rbp; call *%0; pop %%rbp"
			    : : "r"(code), "b"(memory), "d"(1ULL << 62), "r"(1ULL << 61), "S"(-1ULL << 40), "a"(0), "c"(0) : "memory");
#else
			__asm__ volatile ("call *%0" : : "r"(code), "b"(memory), "a"(0), "c"(0), "d"(0) : "memory");
#endif
			printf(" nothing\n");
		}
	}
	strings();
	sigaction(SIGSEGV, &action, NULL);
	/* AMD's processors look whether 16 bytes are aligned where Intel's do not */
	const int most = is_amd() ? 8 : 16;
	for (volatile int size = 2; size <= most; size *= 2)
		for (volatile int at = 0; at < 4; at++) {
			printf("%d bytes at %d:", size, at);
			fflush(stdout);
			code = (char *)main;
			if (sigsetjmp(after, 1) == 0) {
				check_alignment(1);
				if (size == 2)
					*(volatile short *)(memory + at) = 1;
				else if (size == 4)
					*(volatile int *)(memory + at) += 1;
				else if (size == 8)
					*(volatile double *)(memory + at) = 1;
				else		/* which may stand anywhere, with and without these checks */
					__asm__ volatile ("movdqu (%0), %%xmm7; movups %%xmm7, 16(%0); lddqu (%0), %%xmm7"
					    : : "r"(memory + at) : "memory");	/* xmm7: i386 compilers know none */
				check_alignment(0);
				printf(" nothing\n");
			}
		}
	return 0;
}
