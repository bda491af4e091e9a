/* Instructions with prefixes that change little or nothing, and functions of which no size is known. */
#include <stdio.h>

long counter = 40;

__asm__(
"	.text\n"
"	.globl padded, callee, narrow, tail, sizeless, last\n"
"	.type padded, @function\n"
"padded:\n"			/* as calls of __tls_get_addr are padded */
"	subq $8, %rsp\n"
"	.byte 0x66, 0x66, 0x48\n"
"	call callee\n"
"	.byte 0x66, 0x48, 0xff, 0x15\n"	/* data16 rex.W call *pointer(%rip) */
"	.long pointer - 1f\n"
"1:	addq $8, %rsp\n"
"	.byte 0x66, 0x48\n"
"	jmp tail\n"
"	.size padded, . - padded\n"
"	.type callee, @function\n"
"callee: incq counter(%rip)\n"
"	ret\n"
"	.size callee, . - callee\n"
"	.type tail, @function\n"
"tail:	movq counter(%rip), %rax\n"
"	ret\n"
"	.size tail, . - tail\n"
"	.type narrow, @function\n"	/* 32-bit addresses, relative to the program counter */
"narrow: movq counter(%eip), %rax\n"
"	addl $7, counter(%eip)\n"
"	leaq counter(%eip), %rdx\n"
"	addq (%rdx), %rax\n"
"	call *pointer(%eip)\n"
"	jmp *leave(%eip)\n"
"	.size narrow, . - narrow\n"
"	.type sizeless, @function\n"
"sizeless: movq %rdi, %rax\n"
"	addq $3, %rax\n"
"	ret\n"
"	.type last, @function\n"
"last:	leaq 5(%rdi), %rax\n"
"	ret\n"
"	.data\n"
"pointer: .quad callee\n"
"leave:	.quad out\n"
"	.text\n"
"	.type out, @function\n"
"out:	ret\n");

long padded(void), narrow(void), sizeless(long), last(long);

int
main(void)
{
	long first = padded(), second = narrow();

	printf("%ld %ld %ld\n", first, second, counter);
	printf("%ld %ld\n", sizeless(1), last(1));
	return (0);
}
