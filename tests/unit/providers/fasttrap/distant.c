/*
 * Operands 1.5 GiB from the code, named relative to %rip in every way; argv[1] = "crowd": first maps
 * whatever is free within 2 GiB of the code.  getppid() is a mark for whoever traces.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define	REACH	(1ul << 31)
#define	LOWEST	65536ul
#define	SMALLEST	65536ul
#define	PAGE	4096ul

long far_value __attribute__((section(".far"), aligned(4096))) = 5;
long (*far_pointer)(long) __attribute__((section(".far")));
extern char store_at[];
extern long operands(long), jumping(long), calling(long), store(long), leaf(long);

__asm__(
"	.text\n"
"	.type leaf, @function\n"
"leaf:	lea 3(%rdi,%rdi), %rax\n	ret\n	.size leaf, .-leaf\n"
"	.type operands, @function\n"
"operands:\n	push %rbx\n	mov %rdi, -8(%rsp)\n"	/* lives in the red zone */
"	mov far_value(%rip), %rax\n	add %rax, far_value(%rip)\n	cmpl $7, far_value(%rip)\n"
"	lea far_value(%rip), %rcx\n	imul $3, far_value(%rip), %rdx\n	mov $2, %ebx\n"
"	lock xadd %rbx, far_value(%rip)\n	mov far_value(%rip), %r9\n	movb $1, far_value+1(%rip)\n"
"	mov %rax, %r8\n	mov $4, %eax\n	mulq far_value(%rip)\n	add %r8, %rax\n	add %rbx, %rax\n"
"	cvtsi2sdq far_value(%rip), %xmm0\n	addsd %xmm0, %xmm0\n	cvttsd2si %xmm0, %rcx\n"
"	xchg %r9, far_value(%rip)\n	add %rcx, %rax\n	add %r9, %rax\n	push far_value(%rip)\n	pop %rcx\n"
"	add %rcx, %rax\n	xor -8(%rsp), %rax\n	movq $5, far_value(%rip)\n	pop %rbx\n	ret\n"
"	.size operands, .-operands\n"
"	.type jumping, @function\n"
"jumping: mov %rdi, -16(%rsp)\n	mov -16(%rsp), %rdi\n	jmp *far_pointer(%rip)\n	.size jumping, .-jumping\n"
"	.type calling, @function\n"
"calling: sub $8, %rsp\n	mov $77, %eax\n	call *far_pointer(%rip)\n	add $8, %rsp\n	ret\n"
"	.size calling, .-calling\n"
"	.type store, @function\n"
"store:	mov $11, %eax\n	mov $12, %ecx\n	mov $13, %edx\n"
"store_at: mov %rdi, far_value(%rip)\n	ret\n	.size store, .-store\n");

static volatile int wrong, handled;

static void
handler(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void) signal;
	handled++;
	wrong += (char *)registers[REG_RIP] != store_at || registers[REG_RAX] != 11 ||
	    registers[REG_RCX] != 12 || registers[REG_RDX] != 13 || info->si_addr != &far_value;
	registers[REG_RIP] += 7;
}

/* Map all that is free in [start, start + size), but for holes too small for anything. */
static void
fill(unsigned long start, unsigned long size)
{
	if (start >= LOWEST && mmap((void *)start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
	    MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == (void *)start)
		return;
	if (size > SMALLEST) {
		fill(start, size / 2);
		fill(start + size / 2, size / 2);
	}
}

static void
crowd(void)
{
	unsigned long code = (unsigned long)&leaf & -REACH;

	fill(code - REACH, REACH);
	fill(code, REACH);
	fill(code + REACH, REACH);
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	long sum = 0;
	int i;

	far_pointer = leaf;
	sigaction(SIGSEGV, &action, NULL);
	if (argc > 1 && strcmp(argv[1], "crowd") == 0)
		crowd();
	getppid();
	for (i = 0; i < 50; i++)
		sum = sum * 7 + operands(i) + jumping(i) + calling(i);
	mprotect(&far_value, PAGE, PROT_READ);
	for (i = 0; i < 50; i++)
		sum += store(i);
	printf("%ld, %d handled, %d wrong\n", sum, handled, wrong);
	return (0);
}
