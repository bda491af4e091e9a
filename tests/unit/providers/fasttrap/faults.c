/*
 * Instructions that fault, in traced functions: handlers compare the place
 * with the one they know, and go on behind it or jump away.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

extern char load_at[], store_at[], divide_at[], call_at[], string_at[], illegal_at[], jump_at[], push_at[];
extern long load(void), store(void), divide(void), string(void), illegal(void), jump(void);
extern long call(void), push(void);

__asm__(
"	.text\n"
"	.type load, @function\n"
"load:	xor %eax, %eax\n	mov $7, %ecx\n"
"load_at: mov 8(%rax), %ecx\n	lea 1(%rcx), %rax\n	ret\n	.size load, .-load\n"
"	.type store, @function\n"
"store:	mov $9, %eax\n"
"store_at: movq $1, load(%rip)\n	ret\n	.size store, .-store\n"
"	.type divide, @function\n"
"divide: mov $5, %eax\n	cltd\n	xor %ecx, %ecx\n"
"divide_at: idiv %ecx\n	ret\n	.size divide, .-divide\n"
"	.type string, @function\n"
"string: push %rbx\n	xor %edi, %edi\n	mov $4, %ecx\n	mov $3, %eax\n"
"string_at: rep stosb\n	pop %rbx\n	ret\n	.size string, .-string\n"
"	.type illegal, @function\n"
"illegal: mov $2, %eax\n"
"illegal_at: ud2\n	ret\n	.size illegal, .-illegal\n"
"	.type jump, @function\n"
"jump:	mov $4, %eax\n	xor %edx, %edx\n"
"jump_at: jmp *16(%rdx)\n	ret\n	.size jump, .-jump\n"
"	.type call, @function\n"
"call:	mov $6, %eax\n	xor %edx, %edx\n	sub $8, %rsp\n"
"call_at: call *16(%rdx)\n	add $8, %rsp\n	ret\n	.size call, .-call\n"
"	.type push, @function\n"
"push:	mov $8, %eax\n	mov %rsp, %rdx\n	mov $64, %esp\n"
"push_at: call load\n	mov %rdx, %rsp\n	ret\n	.size push, .-push\n");

static struct {
	char *place;
	int size, signal;
	long (*function)(void);
} cases[] = {
	{ load_at, 3, SIGSEGV, load }, { store_at, 11, SIGSEGV, store }, { divide_at, 2, SIGFPE, divide },
	{ string_at, 2, SIGSEGV, string }, { illegal_at, 2, SIGILL, illegal }, { jump_at, 3, SIGSEGV, jump },
	{ call_at, 3, SIGSEGV, call }, { push_at, 5, SIGSEGV, push },
};
static volatile int now, wrong, handled;
static volatile int away;
static sigjmp_buf back;
static char stack[65536];

static void
handler(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	handled++;
	if ((char *)registers[REG_RIP] != cases[now].place || signal != cases[now].signal)
		wrong++;
	if (signal != SIGSEGV && info->si_addr != cases[now].place)
		wrong++;
	if (away)
		siglongjmp(back, 1);
	registers[REG_RIP] += cases[now].size;
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t other = { .ss_sp = stack, .ss_size = sizeof (stack) };
	int rounds = argc > 1 ? atoi(argv[1]) : 1, i;
	long sum = 0;

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	for (i = 0; i < rounds; i++) {
		away = i & 1;
		for (now = 0; now < 8; now++)
			if (sigsetjmp(back, 1) == 0)
				sum += cases[now].function();
			else
				sum += 100;
	}
	printf("%d handled, %d wrong, sum %ld\n", handled, wrong, sum);
	return (0);
}
