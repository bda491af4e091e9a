/*
 * Does to its own text what argv[1] says, with a page that holds nothing but member():
 *	sum	read it, and fork a child that reads its copy
 *	write	overwrite what is traced
 *	move	mremap() it, map something else over the old place, and go on at the new one
 *	protect	take the right to execute away and give it back
 *	discard	madvise() the changed page away
 *	break	put other text with a breakpoint of its own there
 *	scratch	unmap the tracer's scratch area
 * member() is called 3 times before and 3 times after; getppid() marks the moment before.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define	PAGE	4096ul

extern int member(int);
extern char member_end[];
__asm__(
"	.globl member, member_end\n"
"	.section .alone, \"ax\", @progbits\n	.balign 4096\n	.type member, @function\n"
#ifdef __aarch64__
"member: stp x29, x30, [sp, #-16]!\n	mov x29, sp\n	add w1, w0, #1\n	cbnz w0, 1f\n"
"	mov w1, #100\n1:	mov w0, w1\n	ldp x29, x30, [sp], #16\n	ret\n"
"	.size member, .-member\nmember_end:\n	.balign 4096\n"
#else
"member: push %rbp\n	mov %rsp, %rbp\n	lea 1(%rdi), %eax\n	test %edi, %edi\n	jne 1f\n"
"	mov $100, %eax\n1:	leave\n	ret\n	.size member, .-member\nmember_end:\n	.balign 4096\n"
#endif
"	.text\n");

static unsigned
sum(void)
{
	unsigned total = 0;
	char *at;

	for (at = (char *)member; at < member_end; at++)
		total = total * 31 + (unsigned char)*at;
	return (total);
}

static void
without_scratch(void)
{
	unsigned long start, end;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof (line), maps) != NULL)
		if (strstr(line, "[fasttrap]") != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2) {
			printf("unmapped %d\n", munmap((void *)start, end - start));
			break;
		}
	fclose(maps);
}

static void
at_breakpoint(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	write(1, "break\n", 6);
#ifdef __aarch64__
	((ucontext_t *)context)->uc_mcontext.pc += 4;
#endif
}

int
main(int argc, char **argv)
{
	int (*volatile call)(int) = member, result = 0, i, status = 0;
	char *page = (char *)((unsigned long)member & -PAGE), *how = argc > 1 ? argv[1] : "";
#ifdef __aarch64__
	static const unsigned seven[] = { 0x528000e0, 0xd65f03c0 };		/* mov w0, #7; ret */
	static const unsigned stop[] = { 0xd503201f, 0xd4200000, 0x528000e0, 0xd65f03c0 };	/* nop; brk #0; ... */
#else
	static const unsigned char seven[] = { 0xb8, 7, 0, 0, 0, 0xc3 };	/* mov $7, %eax; ret */
	static const unsigned char stop[] = { 0x90, 0xcc, 0xb8, 7, 0, 0, 0, 0xc3 };	/* nop; int3; ... */
#endif

	for (i = 0; i < 3; i++)
		result += call(i);
	getppid();
	if (strcmp(how, "sum") == 0) {
		printf("%08x\n", sum());
		fflush(stdout);
		if (fork() == 0) {
			printf("%08x\n", sum());
			return (call(1) != 2);
		}
		wait(&status);
	} else if (strcmp(how, "write") == 0) {
		mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		memcpy(page, seven, sizeof (seven));
		__builtin___clear_cache(page, page + sizeof (seven));
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	} else if (strcmp(how, "move") == 0) {
		call = (int (*)(int))mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page + (1ul << 30));
		mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		memset(page, 0, PAGE);
	} else if (strcmp(how, "break") == 0) {
		struct sigaction action = { .sa_sigaction = at_breakpoint, .sa_flags = SA_SIGINFO };
		sigaction(SIGTRAP, &action, NULL);
		mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		memcpy(page, stop, sizeof (stop));
		__builtin___clear_cache(page, page + PAGE);
	} else if (strcmp(how, "protect") == 0) {
		mprotect(page, PAGE, PROT_READ);
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	} else if (strcmp(how, "discard") == 0)
		madvise(page, PAGE, MADV_DONTNEED);
	else if (strcmp(how, "scratch") == 0)
		without_scratch();
	for (i = 0; i < 3; i++)
		result += call(i);
	getppid();
	printf("%d\n", result);
	return (status);
}
