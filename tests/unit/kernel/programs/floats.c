/* Floating point: exception flags, unmasked exceptions, the x87 stack, 80-bit functions. */
#include "portable.h"
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static sigjmp_buf after;

static void caught(int number, siginfo_t *info, void *where)
{
	ucontext_t *context = where;
	printf(" signal %d code %d trap %d error %d", number, info->si_code, (int)context->uc_mcontext.gregs[REG_TRAPNO],
	    (int)context->uc_mcontext.gregs[REG_ERR]);
#ifdef __x86_64__
	printf(" mxcsr %x status %x", context->uc_mcontext.fpregs->mxcsr, context->uc_mcontext.fpregs->swd);
#endif
	siglongjmp(after, 1);
}

static void flags(const char *what)
{
	printf("%s:", what);
	if (fetestexcept(FE_INVALID)) printf(" invalid");
	if (fetestexcept(FE_DIVBYZERO)) printf(" divided");
	if (fetestexcept(FE_OVERFLOW)) printf(" overflow");
	if (fetestexcept(FE_UNDERFLOW)) printf(" underflow");
	if (fetestexcept(FE_INEXACT)) printf(" inexact");
	printf("\n");
	feclearexcept(FE_ALL_EXCEPT);
}

static volatile double zero = 0, one = 1, three = 3, huge = 1e308, tiny = 1e-308, negative = -1;
static volatile float small = 1e-38f, big = 1e38f;
static volatile long double lzero = 0, lone = 1, lthree = 3, lhuge = 1e4931L;

static void each(int number)
{
	volatile double sink;
	volatile float fsink;
	volatile long double lsink;
	volatile int isink;
	switch (number) {
	case 0: sink = one / zero; break;
	case 1: sink = zero / zero; break;
	case 2: sink = huge * huge; break;
	case 3: sink = tiny * tiny; break;
	case 4: sink = one / three; break;
	case 5: fsink = big * big; break;
	case 6: fsink = small * small; break;
	case 7: isink = (int)huge; break;
	case 8: fsink = (float)huge; break;
	case 9: sink = sqrt(negative); break;
	case 10: lsink = lone / lzero; break;
	case 11: lsink = lzero / lzero; break;
	case 12: lsink = lhuge * lhuge; break;
	case 13: lsink = lone / lthree; break;
	case 14: isink = zero < NAN; break;
	case 15: sink = rint(one / 2); break;
	case 16: lsink = logl(-lone); break;
	case 17: sink = (double)lhuge; break;
	}
}

static void stack(void)
{
	unsigned short status;
	long double top;
	__asm__ volatile ("fninit; fld1; fld1; fld1; fld1; fld1; fld1; fld1; fldpi; fldz; fnstsw %0; fstpt %1; fninit"
	    : "=m"(status), "=m"(top));
	printf("full: %x %Lg\n", status, top);
	__asm__ volatile ("fninit; fld1; fstp %%st; fadd %%st(1), %%st; fnstsw %0; fstpt %1; fninit" : "=m"(status), "=m"(top));
	printf("empty: %x %Lg\n", status, top);
	__asm__ volatile ("fninit; fldpi; fsin; fnstsw %0; fstpt %1; fninit" : "=m"(status), "=m"(top));
	printf("sine of pi: %x %La\n", status, top);
	__asm__ volatile ("fninit; fldpi; fld1; fxch; fscale; fprem; fnstsw %0; fstpt %1; fninit" : "=m"(status), "=m"(top));
	printf("remainder: %x %La\n", status, top);
	unsigned char packed[10];
	long double number = 1234567.5L;
	__asm__ volatile ("fninit; fldt %2; fbstp %0; fnstsw %1; fninit" : "=m"(packed), "=m"(status) : "m"(number));
	for (int i = 9; i >= 0; i--)
		printf("%02x", packed[i]);
	printf(" %x\n", status);
}

int main(void)
{
	static const int unmasked[] = { FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT, FE_ALL_EXCEPT };
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER };
	sigaction(SIGFPE, &action, NULL);
	for (int i = 0; i < 18; i++) {
		char name[16];
		feclearexcept(FE_ALL_EXCEPT);
		each(i);
		sprintf(name, "%d", i);
		flags(name);
	}
	for (volatile unsigned mask = 0; mask < 6; mask++)
		for (volatile int i = 0; i < 18; i++) {
			printf("%u %d:", mask, i);
			if (sigsetjmp(after, 1) == 0) {
				feclearexcept(FE_ALL_EXCEPT);
				feenableexcept(unmasked[mask]);
				each(i);
				__asm__ volatile ("fwait");
				printf(" through");
			}
			__asm__ volatile ("fninit");
			fedisableexcept(FE_ALL_EXCEPT);
			printf("\n");
		}
	for (int mode = 0; mode < 4; mode++) {
		fesetround(mode << 10);
		printf("%.20g %.20g %.20Lg %ld %La\n", one / three, -one / three, lone / lthree, lrint(2.5 * one), lone / lthree);
	}
	fesetround(FE_TONEAREST);
	for (volatile long double x = -3.7L; x < 5; x += 0.61L)
		printf("%La %La %La %La %La %La %La %La\n", expl(x), logl(x + 10), sinl(x), cosl(x), tanl(x), atanl(x),
		    powl(x + 10, 1.3L), log1pl(x * x));
	stack();
#ifdef __x86_64__
	uint32_t mode = 0x9fc0, got;  /* denormals are zero, both ways */
	volatile double least = 5e-324, result;
	__asm__ volatile ("ldmxcsr %0" : : "m"(mode));
	result = least * one;
	__asm__ volatile ("stmxcsr %0" : "=m"(got));
	printf("%g %x\n", result, got);
	result = tiny * tiny;
	__asm__ volatile ("stmxcsr %0" : "=m"(got));
	printf("%g %x\n", result, got);
#endif
	return 0;
}
