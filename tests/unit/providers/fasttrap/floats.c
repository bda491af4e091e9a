/*
 * A note of a probe whose arguments are floating-point numbers, in every kind of place:
 * floats DOUBLE FLOAT DOUBLE, and a long double of a tenth.
 */
#include <stdlib.h>

#define	NOTE(arguments) \
	"990:	nop\n" \
	"	.pushsection .note.stapsdt,\"\",\"note\"\n" \
	"	.balign 4\n" \
	"	.4byte 992f-991f, 994f-993f, 3\n" \
	"991:	.asciz \"stapsdt\"\n" \
	"992:	.balign 4\n" \
	"993:	.8byte 990b, 0, 0\n" \
	"	.asciz \"floats\"\n	.asciz \"here\"\n	.asciz \"" arguments "\"\n" \
	"994:	.balign 4\n" \
	"	.popsection\n"

double third = -1e300;
void numbers(double a, float b, double c, long double d);

#ifdef __aarch64__
__asm__("	.text\n	.globl numbers\n	.type numbers, %function\n"
	"numbers: sub sp, sp, 32\n	fmov x9, d0\n	fmov w10, s1\n	str d2, [sp, 8]\n	str q3, [sp, 16]\n"
	NOTE("8f@x9 4f@w10 8f@[sp, 8] 8f@d0 4f@s1 16f@[sp, 16] 16f@q3 8f@4609434218613702656 -4@7")
	"	add sp, sp, 32\n	ret\n	.size numbers, .-numbers\n");
#else
__asm__("	.text\n	.globl numbers\n	.type numbers, @function\n"
	"numbers: push %rbp\n	mov %rsp, %rbp\n	sub $64, %rsp\n"
	"	movq %xmm0, %rcx\n	movd %xmm1, %eax\n	movsd %xmm2, -40(%rbp)\n"
	NOTE("8f@%rcx 4f@%eax 8f@-40(%rbp) 8f@%xmm0 4f@%xmm1 16f@16(%rbp) 8f@third(%rip) "
	    "8f@$4609434218613702656 -4@$7")
	"	leave\n	ret\n	.size numbers, .-numbers\n");
#endif

int main(int argc, char **argv)
{
	numbers(atof(argv[1]), atof(argv[2]), atof(argv[3]), 0.1L);
	return 0;
}
