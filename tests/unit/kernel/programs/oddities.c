/* What processors do at the edges of instructions, and emulations forget: halves that are kept, empty x87
 * registers, frames without a page, MMX instructions that fault. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf after;

static void caught(int number, siginfo_t *info, void *where)
{
	struct _libc_fpstate *floating = ((ucontext_t *)where)->uc_mcontext.fpregs;

#ifdef __x86_64__
	printf(" signal %d status %#x tags %#x", number, floating->swd, floating->ftw);
#else
	printf(" signal %d status %#lx tags %#lx", number, floating->sw & 0xffff, floating->tag & 0xffff);
#endif
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

int main(void)
{
	static char handlers[65536];
	stack_t stack = { .ss_sp = handlers, .ss_size = sizeof handlers };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	char *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long value = 0x0102030405060708LL;

	setvbuf(stdout, NULL, _IONBF, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	MOVE("b"); MOVE("e"); MOVE("be"); MOVE("u"); MOVE("nb"); MOVE("ne"); MOVE("nbe"); MOVE("nu");
	TRY("mmx load", __asm__ volatile ("fninit; fld1; fld1; paddd (%0), %%mm1" : : "r"(nothing)));
	TRY("mmx move", __asm__ volatile ("fninit; fld1; fld1; movq (%0), %%mm1" : : "r"(nothing)));
	TRY("mmx store", __asm__ volatile ("fninit; fld1; fld1; movq %%mm1, (%0)" : : "r"(nothing)));
	TRY("mmx shuffle", __asm__ volatile ("fninit; fld1; fld1; pshufb (%0), %%mm1" : : "r"(nothing)));
	TRY("mmx", unsigned short status;
	    __asm__ volatile ("fninit; fld1; fld1; paddd %1, %%mm1; fnstsw %0; emms" : "=m"(status) : "m"(value));
	    printf(" %#x", status));
	TRY("convert", __asm__ volatile ("fninit; fld1; fld1; cvtpd2pi 1(%0), %%mm1" : : "r"(handlers)));
#ifdef __x86_64__
	unsigned long first = 0x1111111122222222, rax = 0x3333333344444444, flags;
	unsigned zero = 0, four = 0x44444444;

	__asm__ volatile ("cmpxchg %%ecx, %k0; pushfq; pop %2" : "+r"(first), "+a"(rax), "=r"(flags) : "c"(5) : "cc");
	printf("cmpxchg %lx %lx %lx\n", first, rax, flags & 0x8d5);
	rax = 0x3333333322222222;
	__asm__ volatile ("cmpxchg %%ecx, %k0" : "+r"(first), "+a"(rax) : "c"(5) : "cc");
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
#endif
	return 0;
}
