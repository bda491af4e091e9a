/* What processors do at the edges of instructions, and emulations forget: halves that are kept, empty x87
 * registers, frames without a page, MMX instructions that fault, x87's whole state in memory, jumps to nowhere,
 * 32-bit code in a 64-bit program. */
#include "portable.h"
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "vendor.h"

static sigjmp_buf after;
static char *page;	/* what a fault's address is told in relation to */
static int tell_flags;
static int amd;
static char *at;	/* where the stack pointer is before an instruction that faults */

static void caught(int number, siginfo_t *info, void *where)
{
	/* as fxsave stores it in 64-bit code, as fnsave does in 32-bit code */
	const unsigned short *floating = (const unsigned short *)((ucontext_t *)where)->uc_mcontext.fpregs;
	const int word = sizeof(long) / sizeof(short) == 4 ? 1 : 2;

	printf(" signal %d status %#x tags %#x", number, floating[word], floating[2 * word]);
	greg_t *registers = ((ucontext_t *)where)->uc_mcontext.gregs;
	printf(" code %d trap %d error %#x", info->si_code, (int)registers[REG_TRAPNO], (int)registers[REG_ERR]);
#ifdef __x86_64__
	if (at != NULL)
		printf(" rsp %+lld pc %#llx cs %#llx", registers[REG_RSP] - (long long)at,
		    registers[REG_RIP] < (long long)at ? 0 : registers[REG_RIP], registers[REG_CSGSFS] & 0xffff);
	at = NULL;
#endif
	if (tell_flags)
		printf(" flags %#x", (int)registers[REG_EFL] & 0x8d5);
	if (page != NULL)
		printf(" at %+ld", (long)((char *)info->si_addr - page));
	siglongjmp(after, 1);
}

#define TRY(name, ...) do { \
	printf("%s:", name); \
	if (sigsetjmp(after, 1) == 0) { __VA_ARGS__; } \
	__asm__ volatile ("fninit"); \
	printf("\n"); \
} while (0)

#define MOVE(condition) TRY("fcmov" condition, \
	unsigned short status; unsigned char value[10]; \
	__asm__ volatile ("fninit; fld1; xor %%eax, %%eax; fcmov" condition " %%st(1), %%st; fnstsw %0; fstpt %1" \
	    : "=m"(status), "=m"(value) : : "eax", "cc"); \
	printf(" %#x", status); \
	for (int i = 0; i < 10; i++) printf(" %02x", value[i]))

/* An image for fxrstor: two registers in use, exceptions raised and not masked. */
static unsigned char image[512] __attribute__((aligned(64))), kept[512] __attribute__((aligned(64)));

static void show(const char *name, int size)
{
	printf("%s:", name);
	kept[30] &= amd ? ~2 : ~0;	/* their MXCSR has one bit more */
	for (int i = 0; i < size; i++)
		printf("%s%02x", i % 4 ? "" : " ", kept[i]);
	printf("\n");
	memset(kept, 0xCC, sizeof kept);
}

static void states(uint16_t control, uint16_t status)
{
	memcpy(image, &control, 2);
	memcpy(image + 2, &status, 2);
	__asm__ volatile ("fxrstor %1; fnstenv %0" : "=m"(kept) : "m"(image));
	show("fnstenv", 28);
	__asm__ volatile ("fxsave %0; fninit" : "=m"(kept));
	show("masked", 8);
	__asm__ volatile ("fxrstor %1; .byte 0x66; fnstenv %0; fninit" : "=m"(kept) : "m"(image));
	show("fnstenv of 16 bits", 14);
	__asm__ volatile ("fxrstor %1; fnsave %0; fninit" : "=m"(kept) : "m"(image));
	show("fnsave", 108);
	__asm__ volatile ("fxrstor %1; fxsave %0; fninit" : "=m"(kept) : "m"(image));
	show("fxsave", 160);
	memset(kept, 0x3C, 108);
	memset(kept + 12, 0, 12);	/* the machine does not tell the last instruction */
	__asm__ volatile ("fldenv %0; fnclex; fxsave %0; fninit" : "+m"(kept));
	show("fldenv", 160);
	memset(kept, 0xC3, 108);
	memset(kept + 12, 0, 12);	/* the machine does not tell the last instruction */
	__asm__ volatile ("frstor %0; fxsave %0; fninit" : "+m"(kept));
	show("frstor", 160);
	TRY("emms", __asm__ volatile ("fxrstor %1; emms; fxsave %0; fninit" : "=m"(kept) : "m"(image)));
	show("emms", 8);
	image[26] = 1;
	TRY("bits of mxcsr", __asm__ volatile ("fxrstor %0" : : "m"(image)));
	image[26] = 0;
}

/* Faults at a page's end: some instructions look at the end of their operand first. */
#define CROSS(name) for (int back = 1; back < 6; back += 2) \
	TRY(name, page = two + 4096; __asm__ volatile ("fninit; " name " (%0)" : : "r"(page - back) : "memory"))

static void crossings(char *two)
{
	CROSS("fnstenv"); CROSS("fnsave"); CROSS("fldenv"); CROSS("frstor"); CROSS(".byte 0x66; fnstenv");
	page = NULL;
}

#ifdef __x86_64__
#define NOWHERE "mov $0x4142434445464748, %%rax; mov %%rax, (%0); mov %0, %%rsp; "

/* Far transfers with an offset of 64 bits, to 64-bit and to 32-bit code: the latter knows 32 bits of it. */
#define FAR(name, instruction) TRY(name, at = middle; __asm__ volatile ("mov %0, %%rsp; " instruction \
    : : "r"(middle), "r"(middle + 64) : "memory"))

static void far_transfers(char *high, char *low)
{
	static const uint64_t offsets[] = { 0x4142434445464748, 0x0000700045464748 };
	static const uint64_t selectors[] = { 0x33, 0x23 };

	page = (char *)0x40000000;
	for (int i = 0; i < 4; i++) {
		uint64_t target[] = { offsets[i / 2], selectors[i % 2], 0, 0 };

		char *middle = i % 2 ? low : high;	/* 32-bit code has 32 bits of the stack pointer */

		memset(middle - 64, 0x5a, 64);
		memcpy(middle, target, sizeof target);
		memcpy(middle + 64, target, sizeof target);
		FAR("lcall", "rex.w lcall *(%1)");
		for (int word = -4; word < 0; word++)
			printf(" %d", memcmp(middle + 8 * word, "ZZZZZZZZ", 8) == 0);
		FAR("ljmp", "rex.w ljmp *(%1)");
		FAR("lretq", "lretq");
		FAR("lretq 8", "lretq $8");
		FAR("bnd lretq", ".byte 0xf2, 0x48, 0xcb");
	}
	page = NULL;
}

static uint64_t mixed(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * 0x100000001b3 ^ sum >> 29;
}

/* Registers and flags after comparing and exchanging values of all sizes, on both sides of their limits. */
static void compare_exchange(void)
{
	static const uint64_t values[] = { 0, 1, 2, 0xf, 0x10, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
	    0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, -1, 0x1234567890abcdef };

#define EXCHANGE(source, target) do { \
	uint64_t into = values[i], rax = values[j], flags; \
	__asm__ volatile ("mov %0, %%r10; mov $0x5555aaaa1234f678, %%r9; stc; cmpxchg %%" source ", %%" target "; pushfq; pop %2;" \
	    " mov %%r10, %0" : "+r"(into), "+a"(rax), "=&r"(flags) : : "r9", "r10", "cc"); \
	sum = mixed(mixed(mixed(sum, into), rax), flags & 0x8d5); \
} while (0)
	for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
		uint64_t sum = 1;

		printf("cmpxchg of %lx:", values[i]);
		for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++) {
			EXCHANGE("r9b", "r10b");
			EXCHANGE("r9w", "r10w");
			EXCHANGE("r9d", "r10d");
			EXCHANGE("r9", "r10");
			if (j % 7 == 6)
				printf(" %lx", sum);
		}
		printf("\n");
	}
}

/* Frames of nested procedures, and those that find no place. */
static void frames(char *nothing)
{
	static uint64_t stack[16384];
	uint64_t *middle = stack + 10000, pointer, frame;

#define ENTER(instruction) do { \
	for (int i = 0; i < 16384; i++) \
		stack[i] = 0x0101010101010101 * (i & 0xff) + i; \
	__asm__ volatile ("mov %%rsp, %%r12; mov %%rbp, %%r13; mov %2, %%rsp; lea 1024(%2), %%rbp; " instruction \
	    "; mov %%rsp, %0; mov %%rbp, %1; mov %%r12, %%rsp; mov %%r13, %%rbp" \
	    : "=&r"(pointer), "=&r"(frame) : "r"(middle) : "r12", "r13", "memory"); \
	uint64_t sum = 1; \
	for (int i = 0; i < 10000; i++) \
		sum = mixed(sum, stack[i] - (stack[i] - (uint64_t)stack < sizeof stack ? (uint64_t)stack : 0)); \
	printf(instruction " %ld %ld %lx\n", (char *)middle - (char *)pointer, (char *)frame - (char *)middle, sum); \
} while (0)
	ENTER("enter $0, $0"); ENTER("enter $8, $1"); ENTER("enter $64, $2"); ENTER("enter $4097, $3");
	ENTER("enter $65528, $0"); ENTER("enter $65528, $5"); ENTER("enter $16, $31"); ENTER("enter $16, $32");
	ENTER("enter $16, $33"); ENTER("enter $16, $255");
	page = nothing;
	TRY("no place for a frame", at = nothing + 4096; __asm__ volatile ("lea 4096(%0), %%rsp; enter $0, $0" : : "r"(nothing)));
	TRY("no place above", __asm__ volatile ("mov %1, %%rsp; mov %0, %%rbp; enter $0, $3" : : "r"(nothing), "r"(middle)));
	TRY("no place below", __asm__ volatile ("lea 4112(%0), %%rsp; enter $16, $0" : : "r"(nothing)));
	TRY("nor at its end", __asm__ volatile ("lea 4112(%0), %%rsp; enter $8, $0" : : "r"(nothing)));
	TRY("return from nothing", __asm__ volatile ("mov %0, %%rsp; ret $0x9000" : : "r"(nothing)));
	page = NULL;
	TRY("a senseless place", __asm__ volatile ("mov $0x4142434445464748, %%rsp; enter $8, $0" : : ));
	TRY("return to a senseless place", at = (char *)middle;
	    __asm__ volatile (NOWHERE "ret $0x9000" : : "r"(at) : "rax", "memory"));
}

static void transfers(void)
{
	static char stack[1 << 17];
	char *low = mmap((void *)0x30000000, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	char *middle = stack + sizeof stack / 2, *inside = low + 32768;
	unsigned long result = 100;

	TRY("ret to nowhere", at = middle; __asm__ volatile (NOWHERE "ret" : : "r"(at) : "rax", "memory"));
	TRY("ret 24", at = middle; __asm__ volatile (NOWHERE "ret $24" : : "r"(at) : "rax", "memory"));
	TRY("call", at = middle; __asm__ volatile (NOWHERE "call *%%rax" : : "r"(at) : "rax", "memory"));
	TRY("jmp", at = middle; __asm__ volatile (NOWHERE "jmp *(%%rsp)" : : "r"(at) : "rax", "memory"));
	memcpy(middle, "\xdf\x38", 2);	/* fistp, which is not executed, as data is no code */
	TRY("jump to data", __asm__ volatile ("fninit; fld1; fld1; jmp *%0" : : "r"(middle)));
	TRY("retf", __asm__ volatile ("pushq $0x18; pushq $0; lretq" : : : "memory"));
	memcpy(middle, (uint32_t[]){ 0x1000, 0x2460, 0x20202, 0, 0x2b }, 20);
	TRY("iretd", at = middle; __asm__ volatile ("mov %0, %%rsp; .byte 0xcf" : : "r"(at) : "memory"));
	TRY("int 6", __asm__ volatile ("int $6"));
	TRY("int 14", __asm__ volatile ("int $14"));
	__asm__ volatile ("mov %%rsp, %%r12; lea -65536(%%rsp), %%rcx; mov %1, %%rsp; lea 1f(%%rip), %%rax;"
	    " push %%rax; ret $0x8010; 1: mov %%rsp, %0; sub %1, %0; mov %%r12, %%rsp"
	    : "=&r"(result) : "r"(middle) : "rax", "rcx", "r12", "memory");
	printf("ret %lx\n", result);
	__asm__ volatile ("mov %%rsp, %%r12; lea -65536(%%rsp), %%rcx; mov %1, %%rsp; pushq $0x33; lea 1f(%%rip), %%rax;"
	    " push %%rax; lretq $0x8010; 1: mov %%rsp, %0; sub %1, %0; mov %%r12, %%rsp"
	    : "=&r"(result) : "r"(middle) : "rax", "rcx", "r12", "memory");
	printf("lretq %lx\n", result);
	if (!amd) __asm__ volatile ("mov %%rsp, %%r12; mov $1, %0; .byte 0x66, 0x72, 0; .byte 0x66, 0xe8, 0, 0, 0, 0; 1: pop %%rax;"
	    " lea 1b(%%rip), %%rcx; sub %%rcx, %%rax; mov %%rax, %0; sub %%rsp, %%r12; add %%r12, %0"
	    : "=&r"(result) : : "rax", "rcx", "r12", "memory", "cc");
	printf("call with 66 %lx\n", result);
	if (low != (char *)0x30000000)
		return;
	if (!amd)
		far_transfers(middle, inside);
	/* 32-bit code: inc eax twice; something undefined, or a far return */
	memcpy(low, "\x40\x40\x40\xcb", 4);
	memcpy(low + 16, "\x40\x40\x0f\x0b", 4);
	/* back in 64-bit code: far jump on, to where r13 leads */
	memcpy(low + 32, "\x41\xff\xe5", 3);
	memcpy(inside, (uint32_t[]){ 0x30000020, 0x33 }, 8);
	result = 100;
	__asm__ volatile ("mov %%rsp, %%r12; lea 1f(%%rip), %%r13; mov %1, %%rsp; pushq $0x23; pushq $0x30000000;"
	    " lretq; 1: mov %%r12, %%rsp" : "+a"(result) : "r"(inside) : "r12", "r13", "memory", "cc");
	printf("32-bit code %lu\n", result);
	TRY("in 32-bit code", at = low; __asm__ volatile ("mov %0, %%rsp; pushq $0x23; pushq $0x30000010; lretq"
	    : : "r"(inside) : "memory"));
}
#endif

int main(void)
{
	static char handlers[65536];
	stack_t stack = { .ss_sp = handlers, .ss_size = sizeof handlers };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	char *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long value = 0x0102030405060708LL;

	amd = is_amd();
	setvbuf(stdout, NULL, _IONBF, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	/* a comparison of strings that faults keeps flags; stos at the same place has others */
	tell_flags = 1;
	TRY("scas", __asm__ volatile ("xor %%eax, %%eax; dec %%eax; repe scasb" : : "D"(nothing), "c"(5) : "eax", "cc"));
	TRY("stos", __asm__ volatile ("xor %%eax, %%eax; repne stosb" : : "D"(nothing), "c"(5) : "eax", "cc", "memory"));
	tell_flags = 0;
	MOVE("b"); MOVE("e"); MOVE("be"); MOVE("u"); MOVE("nb"); MOVE("ne"); MOVE("nbe"); MOVE("nu");
	TRY("mmx load", __asm__ volatile ("fninit; fld1; fld1; paddd (%0), %%mm1" : : "r"(nothing)));
	TRY("mmx move", __asm__ volatile ("fninit; fld1; fld1; movq (%0), %%mm1" : : "r"(nothing)));
	if (!amd) TRY("mmx store", __asm__ volatile ("fninit; fld1; fld1; movq %%mm1, (%0)" : : "r"(nothing)));
	TRY("mmx shuffle", __asm__ volatile ("fninit; fld1; fld1; pshufb (%0), %%mm1" : : "r"(nothing)));
	TRY("mmx", unsigned short status;
	    __asm__ volatile ("fninit; fld1; fld1; paddd %1, %%mm1; fnstsw %0; emms" : "=m"(status) : "m"(value));
	    printf(" %#x", status));
	TRY("convert", __asm__ volatile ("fninit; fld1; fld1; cvtpd2pi 1(%0), %%mm1" : : "r"(handlers)));
	/* XOP, which Intel's processors never had, begins as `pop` with an extended opcode that is none */
	TRY("xop", __asm__ volatile (".byte 0x8f, 0xe8, 0x78, 0xa3, 0xc1, 0x20"));
	TRY("pop", __asm__ volatile (".byte 0x8f, 0xc8"));
	TRY("mov", __asm__ volatile (".byte 0xc6, 0xc8, 1"));
#ifdef __x86_64__
	unsigned long first = 0x1111111122222222, rax = 0x3333333344444444, flags;
	unsigned zero = 0, four = 0x44444444;

	__asm__ volatile ("cmpxchg %%ecx, %k0; pushfq; pop %2" : "+r"(first), "+a"(rax), "=r"(flags) : "c"(5) : "cc");
	printf("cmpxchg %lx %lx %lx\n", first, rax, flags & 0x8d5);
	rax = 0x3333333322222222;
	__asm__ volatile ("cmpxchg %%ecx, %k0" : "+r"(first), "+a"(rax) : "c"(5) : "cc");
	printf("cmpxchg %lx %lx\n", first, rax);
	__asm__ volatile ("mov %0, %%r10; mov $7, %%r9d; cmpxchg %%r9d, %%r10d; cmpxchg %%r9w, %%r10w; mov %%r10, %0"
	    : "+r"(first), "+a"(rax) : : "r9", "r10", "cc");
	printf("cmpxchg %lx %lx\n", first, rax);
	rax = 5;
	__asm__ volatile ("mov %0, %%r10; mov $7, %%r9d; cmpxchg %%r9w, %%r10w; cmpxchg %%r10w, %%r9w; mov %%r10, %0"
	    : "+r"(first), "+a"(rax) : : "r9", "r10", "cc");
	printf("cmpxchg %lx %lx\n", first, rax);
	rax = 0x3333333344444444;
	__asm__ volatile ("cmpxchg %%ecx, %0" : "+m"(four), "+a"(rax) : "c"(5) : "cc", "memory");
	printf("cmpxchg %x %lx\n", four, rax);
	__asm__ volatile ("lock cmpxchg %%ecx, %0" : "+m"(four), "+a"(rax) : "c"(6) : "cc", "memory");
	printf("cmpxchg %x %lx\n", four, rax);
	rax |= 1UL << 63;
	__asm__ volatile ("lock cmpxchg %%ecx, %0" : "+m"(four), "+a"(rax) : "c"(6) : "cc", "memory");
	printf("cmpxchg %x %lx\n", four, rax);
	first = 0x1111111122222222;
	__asm__ volatile ("bsr %1, %k0" : "+r"(first) : "m"(zero) : "cc");
	printf("bsr %lx\n", first);
	__asm__ volatile ("bsf %1, %k0" : "+r"(first) : "r"(zero) : "cc");
	printf("bsf %lx\n", first);
	__asm__ volatile ("bsf %1, %k0" : "+r"(first) : "r"(8) : "cc");
	printf("bsf %lx\n", first);
	__asm__ volatile ("xor %%eax, %%eax; .byte 0x4d, 0x9f" : "=a"(rax) : : "cc"); /* REX before lahf */
	printf("lahf %lx\n", rax);
	__asm__ volatile (".byte 0x4d, 0xc7, 0xc4, 0x0d, 0, 0, 0; mov %%r12, %0" : "=r"(rax) : : "r12"); /* REX.R */
	printf("mov %lx\n", rax);
	__asm__ volatile ("mov $7, %%r8d; mov $8, %%eax; .byte 0xf3, 0x49, 0x90" : "=a"(rax) : : "r8"); /* rep xchg, pause */
	printf("xchg %lx\n", rax);
	__asm__ volatile ("mov %%rsp, %%r12; mov %%rbp, %%r13; mov %%rsp, %%rbp; sub $512, %%rsp; enter $64, $3;"
	    " mov %%rbp, %0; sub %%rsp, %0; sub %%r12, %%rbp; mov %%rbp, %1; mov %%r12, %%rsp; mov %%r13, %%rbp"
	    : "=&r"(rax), "=&r"(first) : : "r12", "r13", "memory");
	printf("enter %ld %ld\n", rax, first);
	transfers();
	compare_exchange();
	char *three = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(three, 4096, PROT_NONE);
	frames(three);
#endif
	image[4] = 0x81;
	image[32 + 7] = image[32 + 16 * 7 + 7] = 0x80;
	image[32 + 9] = image[32 + 16 * 7 + 9] = 0x3F;
	image[24] = 0x80, image[25] = 0x1F;
	states(0x37F, 0x2800);
	states(0x340, 0x1841);
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(two + 4096, 4096, PROT_NONE);
	crossings(two);
	return 0;
}
