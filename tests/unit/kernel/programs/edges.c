/* Operands at the edges of memory, each of many instructions: what a handler is told, and what has been done. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096
#ifdef __x86_64__
#define SP REG_RSP
#define PC REG_RIP
#define DI REG_RDI
#else
#define SP REG_ESP
#define PC REG_EIP
#define DI REG_EDI
#endif

static sigjmp_buf after;
static char *code, *edge, *top;

static void caught(int number, siginfo_t *info, void *where)
{
	ucontext_t *context = where;
	greg_t *registers = context->uc_mcontext.gregs;
	char *address = info->si_addr;

	printf(" %d:%d:%d:%#x@%d", number, info->si_code, (int)registers[REG_TRAPNO], (unsigned)registers[REG_ERR],
	    (int)(address - (address < code ? NULL : edge)));
	printf(",%d,%d,%d", (int)((char *)registers[PC] - (address < code ? NULL : code)), (int)(top - (char *)registers[SP]),
	    (int)((char *)registers[DI] - edge));
#ifdef __x86_64__
	printf(",%x,%x", context->uc_mcontext.fpregs->swd, context->uc_mcontext.fpregs->ftw & 0xff);
#else
	printf(",%x,%x", context->uc_mcontext.fpregs->sw & 0xffff, context->uc_mcontext.fpregs->tag & 0xffff);
#endif
	siglongjmp(after, 1);
}

struct trial {
	const char *name;
	unsigned char bytes[8];	/* [ebx] is the operand: a ModR/M of 3, and 8 times what tells instructions apart */
};

static const struct trial trials[] = {
	{ "mov", { 0x88, 0x03 } }, { "mov", { 0x89, 0x03 } }, { "mov from", { 0x8b, 0x03 } },
	{ "mov immediate", { 0xc6, 0x03, 0x01 } },
	{ "add", { 0x01, 0x03 } }, { "add from", { 0x03, 0x03 } }, { "or byte", { 0x08, 0x03 } },
	{ "cmp", { 0x39, 0x03 } }, { "cmp from", { 0x3b, 0x03 } }, { "test", { 0x85, 0x03 } },
	{ "xchg", { 0x87, 0x03 } }, { "lock add", { 0xf0, 0x01, 0x03 } }, { "cmpxchg", { 0x0f, 0xb1, 0x03 } },
	{ "xadd", { 0x0f, 0xc1, 0x03 } }, { "cmpxchg8b", { 0x0f, 0xc7, 0x0b } },
	{ "inc", { 0xff, 0x03 } }, { "neg", { 0xf7, 0x1b } }, { "not", { 0xf6, 0x13 } }, { "mul", { 0xf7, 0x23 } },
	{ "rol", { 0xd1, 0x03 } }, { "ror", { 0xd3, 0x0b } }, { "rcl", { 0xd1, 0x13 } }, { "rcr", { 0xd0, 0x1b } },
	{ "shl", { 0xd1, 0x23 } }, { "shr", { 0xc1, 0x2b, 0x02 } }, { "sar", { 0xd1, 0x3b } },
	{ "shld", { 0x0f, 0xa4, 0x03, 0x05 } }, { "bts", { 0x0f, 0xab, 0x03 } }, { "bt", { 0x0f, 0xa3, 0x03 } },
	{ "setz", { 0x0f, 0x94, 0x03 } }, { "movnti", { 0x0f, 0xc3, 0x03 } }, { "movzx", { 0x0f, 0xb6, 0x03 } },
	{ "push", { 0xff, 0x33 } }, { "state pop", { 0x8f, 0x03 } }, { "movsb", { 0xa4 } }, { "movsd", { 0xa5 } },
	{ "lodsd", { 0xad } }, { "stosd", { 0xab } }, { "cmpsd", { 0xa7 } }, { "scasb", { 0xae } },
	{ "movups to", { 0x0f, 0x11, 0x03 } }, { "movups", { 0x0f, 0x10, 0x03 } }, { "movd", { 0x66, 0x0f, 0x7e, 0x03 } },
	{ "movq", { 0x66, 0x0f, 0xd6, 0x03 } }, { "maskmovdqu", { 0x66, 0x0f, 0xf7, 0xc1 } },
	{ "fst", { 0xd9, 0x13 } }, { "fstp", { 0xd9, 0x1b } }, { "fst 64", { 0xdd, 0x13 } }, { "fstp 64", { 0xdd, 0x1b } },
	{ "state fstp 80", { 0xdb, 0x3b } }, { "fist", { 0xdb, 0x13 } }, { "fistp 16", { 0xdf, 0x1b } },
	{ "fistp 64", { 0xdf, 0x3b } }, { "fisttp", { 0xdb, 0x0b } }, { "state fbstp", { 0xdf, 0x33 } },
	{ "fld 80", { 0xdb, 0x2b } }, { "fld", { 0xd9, 0x03 } }, { "fild 64", { 0xdf, 0x2b } }, { "fadd", { 0xd8, 0x03 } },
	{ "fnstcw", { 0xd9, 0x3b } }, { "fnstsw", { 0xdd, 0x3b } }, { "fldcw", { 0xd9, 0x2b } },
	{ "state fnstenv", { 0xd9, 0x33 } }, { "state fldenv", { 0xd9, 0x23 } }, { "state fnsave", { 0xdd, 0x33 } },
	{ "state frstor", { 0xdd, 0x23 } }, { "state fnstenv 16", { 0x66, 0xd9, 0x33 } }, { "state fldenv 16", { 0x66, 0xd9, 0x23 } },
	{ "state fnsave 16", { 0x66, 0xdd, 0x33 } }, { "state frstor 16", { 0x66, 0xdd, 0x23 } },
	{ "ldmxcsr", { 0x0f, 0xae, 0x13 } }, { "stmxcsr", { 0x0f, 0xae, 0x1b } },
	{ "call", { 0xff, 0x13 } }, { "jmp", { 0xff, 0x23 } }, { "prefetch", { 0x0f, 0x18, 0x0b } },
};

static const int places[] = { 0, -1, -4, -7, -9, -2, -3, -5, -13, -14, -27, -28, -93, -94, -107, -108 };
enum { FEW = 5, ALL = sizeof places / sizeof places[0] };	/* of which state of x87, the largest operand, has all (and some others have) */

int main(void)
{
	static char handlers[65536], fine[64];
	stack_t stack = { .ss_sp = handlers, .ss_size = sizeof handlers };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	char *pages = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	top = __builtin_frame_address(0);
	mprotect(pages + PAGE, PAGE, PROT_NONE);	/* behind a page that may be written, and behind another: */
	mprotect(pages + 3 * PAGE, PAGE, PROT_READ);
	for (volatile unsigned i = 0; i < sizeof trials / sizeof trials[0]; i++)
		for (volatile int which = 1; which < 4; which += 2) {
			const volatile int state = strncmp(trials[i].name, "state", 5) == 0;

			edge = pages + which * PAGE;
			printf("%s %d:", trials[i].name, which);
			for (volatile unsigned at = 0; at < (state ? ALL : FEW); at++) {
				char *place = edge + places[at];
				unsigned sum = 0;

				memset(code, 0x90, 32);
				memcpy(code, trials[i].bytes, sizeof trials[i].bytes);
				for (int last = 7; last > 0 && trials[i].bytes[last] == 0; last--)
					code[last] = 0x90;
				code[16] = 0xc3;
				memset(edge - 128, 0, 128);
				if (sigsetjmp(after, 1) == 0) {
					__asm__ volatile ("fninit; fld1; fldz; fld1; cld; pcmpeqd %%xmm1, %%xmm1; pxor %%xmm0, %%xmm0; call *%3"
					    : "+S"(place), "+D"(place) : "b"(place), "d"(code), "a"(1), "c"(1) : "memory", "cc");
					printf(" -");
				}
				__asm__ volatile ("fninit");
				for (int byte = -128; !state && byte < 0; byte++)
					sum = sum * 31 + (unsigned char)edge[byte];
				printf("/%x", sum);
			}
			printf("\n");
		}
	return 0;
}
