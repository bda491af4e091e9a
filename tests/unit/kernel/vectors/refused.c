/* Instructions with VEX that fault, or do not because of a mask: what a handler finds. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "vendor.h"

#ifdef __x86_64__
#define CHECKING "pushfq; orl $0x40000, (%%rsp); popfq; "	/* the alignment of operands */
#define NOT_CHECKING "pushfq; andl $~0x40000, (%%rsp); popfq"
#else
#define CHECKING "pushfl; orl $0x40000, (%%esp); popfl; "
#define NOT_CHECKING "pushfl; andl $~0x40000, (%%esp); popfl"
#endif

static sigjmp_buf after;
static char *end;

static void caught(int number, siginfo_t *info, void *where)
{
	__asm__ volatile (NOT_CHECKING : : : "cc", "memory");
	ucontext_t *context = where;
	const unsigned char *state = (const unsigned char *)context->uc_mcontext.fpregs;
	long distance = (char *)info->si_addr - end;
#ifdef __i386__
	state += 112;
#endif
	if (is_amd() && distance > 0 && distance < 8)
		distance = 0;	/* they tell the page */
	printf(" signal %d code %d", number, info->si_code);
	if (number == SIGSEGV)
		printf(" at %ld", distance < 4096 && distance > -4096 ? distance : -1);
	printf(" flags %#lx mark %x upper", context->uc_flags & 1, *(const int *)(state + 464));
	for (int i = 0; i < 4; i++)
		printf(" %x", *(const unsigned *)(state + 576 + 16 * i));
	printf("\n");
	siglongjmp(after, 1);
}

#define TRY(name, ...) do { \
	printf("%s:", name); \
	fflush(stdout); \
	if (sigsetjmp(after, 1) == 0) { \
		__asm__ volatile ("vpcmpeqd %%ymm1, %%ymm1, %%ymm1; vpsrld $31, %%ymm1, %%ymm2" : : : "xmm1", "xmm2"); \
		__asm__ volatile (__VA_ARGS__ : : "r"(end), "m"(masks) : "memory", "eax", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4"); \
		printf(" nothing\n"); \
	} \
	_mm_setcsr(0x1f80); \
} while (0)

/* Which bytes of an image for xrstor must be 0: of its header the next two words, and not what follows. */
static void images(void)
{
	static unsigned char image[1024] __attribute__((aligned(64)));
	static const struct { int at, mask; } set[] = { { 519, 7 }, { 520, 7 }, { 527, 1 }, { 528, 7 }, { 535, 7 },
		{ 536, 7 }, { 575, 7 }, { 26, 7 }, { 26, 4 }, { 26, 1 } };

	memcpy(image + 24, "\x80\x1f", 2);
	for (unsigned i = 0; i < sizeof set / sizeof *set; i++) {
		image[set[i].at] = set[i].at == 519 ? 0x80 : 1;
		printf("byte %d for %d:", set[i].at, set[i].mask);
		fflush(stdout);
		if (sigsetjmp(after, 1) == 0) {
			__asm__ volatile ("vzeroupper; xrstor %0" : : "m"(image), "a"(set[i].mask), "d"(0) : "memory");
			printf(" nothing\n");
		}
		image[set[i].at] = 0;
	}
}

#ifdef __x86_64__
#define SEGMENT "fs"
#define PREFIX "0x64"
#else
#define SEGMENT "gs"
#define PREFIX "0x65"
#endif

/* A store of the first twelve of sixteen bytes, plainly or through a segment: all of them, or none. */
static void by_bytes(int at, int segment)
{
	char *place = end + at, *base;

	memset(end - 20, 7, 20);
	printf("bytes at %d, %d:", at, segment);
	fflush(stdout);
	if (sigsetjmp(after, 1) == 0) {
		__asm__ volatile ("mov %%" SEGMENT ":0, %0" : "=r"(base));
		__asm__ volatile ("vpcmpeqd %%xmm1, %%xmm1, %%xmm1; vpsrldq $4, %%xmm1, %%xmm1; vpxor %%xmm2, %%xmm2, %%xmm2;"
		    "test %1, %1; jz 1f; .byte " PREFIX ";  vmaskmovdqu %%xmm1, %%xmm2; jmp 2f; 1: vmaskmovdqu %%xmm1, %%xmm2; 2:"
		    : : "D"(segment ? place - (long)base : place), "r"(segment) : "memory", "cc", "xmm1", "xmm2");
		printf(" nothing\n");
	}
	for (int i = -20; i < 0; i++)
		printf(" %d", end[i]);
	printf("\n");
}

int main(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	static const int masks[8] __attribute__((aligned(32))) = { -1, -1, 0, 0, 0, 0, 0, 0 };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER };

	end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(end + 4096, 4096, PROT_NONE);
	end += 4096;
	for (int i = 0; i < 4; i++)
		sigaction(signals[i], &action, NULL);
	TRY("movbe", CHECKING "mov -32(%0), %%eax; movbe -31(%0), %%eax; " NOT_CHECKING);
	TRY("aligned", "vmovaps -32(%0), %%ymm0");
	TRY("not aligned", "vmovaps -48(%0), %%ymm0");
	TRY("over the end", "vmovups -16(%0), %%ymm0");
	TRY("stored over the end", "vmovups %%ymm2, -12(%0)");
	printf("%d\n", end[-1]);
	TRY("masked", "vmovaps %1, %%ymm4; vmaskmovps -8(%0), %%ymm4, %%ymm3");
	TRY("masked too little", "vmovaps %1, %%ymm4; vmaskmovps %%ymm3, %%ymm4, (%0)");
	TRY("stored by a mask", "vpmaskmovd %%ymm3, %%ymm1, -28(%0)");
	TRY("stored less", "vmovaps %1, %%ymm4; vmaskmovps %%ymm3, %%ymm4, -5(%0)");
	TRY("stored by the highest bits", "vmovaps %1, %%ymm4; vpslld $24, %%ymm2, %%ymm0; vpor %%ymm0, %%ymm4, %%ymm4; "
	    "vmaskmovps %%ymm3, %%ymm4, -5(%0)");
	TRY("stored beyond", "vmovaps %1, %%ymm4; vmaskmovps %%ymm3, %%ymm4, 3(%0)");
	TRY("gathered", "vmovaps %%ymm1, %%ymm4; vpsrld $30, %%ymm1, %%ymm0; vpgatherdd %%ymm4, -12(%0,%%ymm0,4), %%ymm3");
	TRY("gathered over the end", "vmovaps %%ymm1, %%ymm4; vpsrld $30, %%ymm1, %%ymm0; vpgatherdd %%ymm4, -8(%0,%%ymm0,4), %%ymm3");
#ifdef __x86_64__
	TRY("gathered from no address", "vpcmpeqd %%ymm4, %%ymm4, %%ymm4; vpsllq $62, %%ymm4, %%ymm0; vpgatherqq %%ymm4, (%0,%%ymm0), %%ymm3");
	TRY("nor on the stack", "vpcmpeqd %%ymm4, %%ymm4, %%ymm4; vpsllq $62, %%ymm4, %%ymm0; vpgatherqq %%ymm4, (%%rsp,%%ymm0), %%ymm3");
#else	/* in code of 32 bits VEX.W does not matter to a general number */
	TRY("a number", "mov %0, %%eax; .byte 0xc4, 0xe1, 0xf9, 0x6e, 0x40, 0xfc");
	TRY("stored", "mov %0, %%eax; .byte 0xc4, 0xe1, 0xf9, 0x7e, 0x40, 0xfc");
	TRY("over the end", "mov %0, %%eax; .byte 0xc4, 0xe1, 0xf9, 0x6e, 0x40, 0xfd");
	TRY("converted", "mov %0, %%eax; .byte 0xc4, 0xe1, 0xfa, 0x2a, 0x40, 0xfc");
#endif
	for (int segment = 0; segment < 2; segment++)
		for (int at = -16; at < -8; at += at == -16 ? 5 : 1)	/* between them a processor may do as it likes */
			by_bytes(at, segment);
	_mm_setcsr(0x1d80);
	TRY("divided", "vxorps %%ymm0, %%ymm0, %%ymm0; vcvtdq2ps %%ymm2, %%ymm3; vdivps %%ymm0, %%ymm3, %%ymm3");
	TRY("same register twice", ".byte 0xc4, 0xe2, 0x6d, 0x90, 0x14, 0x08");
	TRY("another length", ".byte 0xc5, 0xfd, 0x6e, 0xc0");
	TRY("a prefix before", ".byte 0x66, 0xc5, 0xf8, 0x28, 0xc1");
	TRY("after 66", ".byte 0xf3, 0xc5, 0xf8, 0x28, 0xc1");
	images();
	return 0;
}
