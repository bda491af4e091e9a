/* What a handler of a signal finds: registers as it begins, the whole context and its floating-point state; and what
 * the program has after it has changed them. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define COUNT 16
#define WORD "8"
#define STORE(base) "mov %rax, " base "+0(%rip); mov %rbx, " base "+8(%rip); mov %rcx, " base "+16(%rip);" \
	"mov %rdx, " base "+24(%rip); mov %rsi, " base "+32(%rip); mov %rdi, " base "+40(%rip);" \
	"mov %rbp, " base "+48(%rip); mov %rsp, " base "+56(%rip); mov %r8, " base "+64(%rip);" \
	"mov %r9, " base "+72(%rip); mov %r10, " base "+80(%rip); mov %r11, " base "+88(%rip);" \
	"mov %r12, " base "+96(%rip); mov %r13, " base "+104(%rip); mov %r14, " base "+112(%rip);" \
	"mov %r15, " base "+120(%rip); "
#define FLAGS(base) "pushfq; popq " base "(%rip); "
__asm__(".data; .globl entered, left, flags, status; entered: .skip 128; left: .skip 128; flags: .skip 16; status: .skip 16\n"
	".text; .globl handler, run, faults\n"
	"handler: " STORE("entered") FLAGS("flags") "fnstcw status(%rip); stmxcsr status+4(%rip); fnstsw status+8(%rip);"
	"sub $8, %rsp; mov $1, %ecx; call found; add $8, %rsp; ret\n"
	"run: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rax\n"
	"mov %rsp, kept(%rip); ldmxcsr modes(%rip); fldcw modes+4(%rip); fld1; fildl modes+8(%rip); fldz; fldz\n"
	"pxor %xmm1, %xmm1; pxor %xmm2, %xmm2; pxor %xmm3, %xmm3; pxor %xmm4, %xmm4; pxor %xmm5, %xmm5; pxor %xmm6, %xmm6\n"
	"pxor %xmm8, %xmm8; pxor %xmm9, %xmm9; pxor %xmm10, %xmm10; pxor %xmm11, %xmm11; pxor %xmm12, %xmm12; pxor %xmm13, %xmm13; pxor %xmm14, %xmm14\n"
	"movdqu modes(%rip), %xmm0; movdqa %xmm0, %xmm7; paddd %xmm7, %xmm7; movdqa %xmm7, %xmm15; psubd %xmm0, %xmm15\n"
	"mov $0x1111, %rbx; mov $0x2222, %rcx; mov $0x3333, %rdx; mov $0x4444, %rsi; mov $0x5555, %rdi; mov $0x6666, %rbp\n"
	"mov $0x8888888888, %r8; mov $0x9999, %r9; mov $0xaaaa, %r10; mov $0xbbbb, %r11; mov $0xcccc, %r12\n"
	"mov $0xdddd, %r13; mov $0xeeee, %r14; mov $-0xffff, %r15; pushq $0x8d5; popfq; movabs $0x7777777777777777, %rax\n"
	"faults: ud2; nop; nop; " STORE("left") FLAGS("flags+8") "cld; fnstcw status(%rip); stmxcsr status+4(%rip);"
	"fnstsw status+8(%rip); mov kept(%rip), %rsp; movdqu %xmm0, seen(%rip); movdqu %xmm7, seen+16(%rip); fstpt seen+32(%rip)\n"
	"fninit; pop %rax; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
	".data; .globl kept, modes, seen; kept: .skip 16; .balign 16; modes: .long 0x3f80, 0xf7f, 0x123, 0x89abcdef; seen: .skip 64; .text");
#else
#define COUNT 8
#define STORE(base) "mov %eax, " base "+0; mov %ebx, " base "+4; mov %ecx, " base "+8; mov %edx, " base "+12;" \
	"mov %esi, " base "+16; mov %edi, " base "+20; mov %ebp, " base "+24; mov %esp, " base "+28; "
#define FLAGS(base) "pushf; popl " base "; "
__asm__(".data; .globl entered, left, flags, status; entered: .skip 128; left: .skip 128; flags: .skip 16; status: .skip 16\n"
	".section .moved, \"awx\", @progbits; .globl handler, run, faults\n"	/* it has addresses, which are set at the start */
	"handler: " STORE("entered") FLAGS("flags") "fnstcw status; stmxcsr status+4; fnstsw status+8;"
	"mov 12(%esp), %eax; mov 8(%esp), %edx; mov 4(%esp), %ecx; pushl %esp; pushl %eax; pushl %edx; pushl %ecx; call found; add $16, %esp; ret\n"
	"run: push %ebx; push %ebp; push %esi; push %edi\n"
	"mov %esp, kept; ldmxcsr modes; fldcw modes+4; fld1; fildl modes+8; fldz; fldz\n"
	"pxor %xmm1, %xmm1; pxor %xmm2, %xmm2; pxor %xmm3, %xmm3; pxor %xmm4, %xmm4; pxor %xmm5, %xmm5; pxor %xmm6, %xmm6\n"
	"movdqu modes, %xmm0; movdqa %xmm0, %xmm7; paddd %xmm7, %xmm7\n"
	"mov $0x1111, %ebx; mov $0x2222, %ecx; mov $0x3333, %edx; mov $0x4444, %esi; mov $0x5555, %edi; mov $0x6666, %ebp\n"
	"pushl $0x8d5; popf; mov $0x77777777, %eax\n"
	"faults: ud2; nop; nop; " STORE("left") FLAGS("flags+8") "cld; fnstcw status; stmxcsr status+4; fnstsw status+8;"
	"mov kept, %esp; movdqu %xmm0, seen; movdqu %xmm7, seen+16; fstpt seen+32; fninit; pop %edi; pop %esi; pop %ebp; pop %ebx; ret\n"
	".data; .globl kept, modes, seen; kept: .skip 16; .balign 16; modes: .long 0x3f80, 0xf7f, 0x123, 0x89abcdef; seen: .skip 64; .text");
#endif

extern uintptr_t entered[COUNT], left[COUNT], flags[2], kept;
extern unsigned status[3];
extern unsigned char seen[48], faults[];
extern void handler(int), run(void);
static int with_info, on_stack;
static char room[65536] __attribute__((aligned(64)));

static void bytes(const char *what, const void *from, size_t size)
{
	printf("%s", what);
	for (size_t at = 0; at < size; at++)
		printf("%s%02x", at % 8 ? "" : " ", ((const unsigned char *)from)[at]);
	printf("\n");
}

/* Numbers that are addresses tell where they point to. */
static void numbers(const char *what, const uintptr_t *from, int count, uintptr_t frame)
{
	printf("%s", what);
	for (int i = 0; i < count; i++) {
		long from_kept = from[i] - kept, from_frame = from[i] - frame, from_code = from[i] - (uintptr_t)faults;

		if (labs(from_kept) < 64)
			printf(" kept%+ld", from_kept);
		else if (labs(from_frame) < 400)
			printf(" frame%+ld", from_frame);
		else if (labs(from_code) < 4096)
			printf(" code%+ld", from_code);
		else
			printf(" %lx", (unsigned long)from[i]);
	}
	printf("\n");
}

static void state(unsigned char *fxsave)
{
	printf("modes %x status %x tags %x, %x %x\n", *(uint16_t *)fxsave, *(uint16_t *)(fxsave + 2), fxsave[4],
	    *(unsigned *)(fxsave + 24), *(unsigned *)(fxsave + 28) != 0);
	bytes("x87", fxsave + 32, 128);
	bytes("vectors", fxsave + 160, COUNT * 16);
	*(uint16_t *)fxsave = 0x37f;
	*(unsigned *)(fxsave + 24) = 0x1fa1;
	fxsave[32 + 7] ^= 0x40;
	fxsave[160 + 5]++, fxsave[160 + 7 * 16]--;
}

void found(int number, siginfo_t *info, ucontext_t *context, uintptr_t *frame)
{
	uintptr_t top = on_stack ? (uintptr_t)room + sizeof room : kept, *words;

#ifdef __x86_64__
	frame = (uintptr_t *)entered[7];
	printf("signal %d, it is told where %d %d\n", number, (uintptr_t)info > entered[7],
	    (uintptr_t)context - entered[7] == 8);
#else
	frame = (uintptr_t *)entered[7];
#endif
	printf("the frame is %d and %d below the top\n", (int)(top - (uintptr_t)frame) & 15,
	    (int)(top - (uintptr_t)frame) > 600);
	numbers("at first", entered, COUNT, (uintptr_t)frame);
	printf("flags %lx, modes %x %x %x\n", (unsigned long)flags[0], status[0], status[1], status[2]);
	if (!with_info) {
#ifdef __i386__
		struct sigcontext *old = (void *)(frame + 2);

		old->eflags &= ~0x10000;	/* RF, which exceptions set */
		numbers("context", (uintptr_t *)old, 19, (uintptr_t)frame);
		printf("mask %lx %x, address %lx\n", (unsigned long)old->oldmask, ((unsigned *)(frame + 2))[22 + 156], (unsigned long)old->cr2);
		bytes("returns by", (void *)(frame + 2 + 22 + 156 + 1), 8);
		bytes("legacy", old->fpstate, 12);
		bytes("legacy", (char *)old->fpstate + 28, 84);
		state((unsigned char *)old->fpstate + 112);
		bytes("legacy", (char *)old->fpstate + 108, 4);
		((char *)old->fpstate)[28 + 9] ^= 0x40;
		old->eip += 2, old->ebx++, old->edi += 5, old->eflags ^= 0x441;
#endif
		return;
	}
	bytes("information", info, 12);
	numbers("address", (uintptr_t *)&info->si_addr, 1, (uintptr_t)frame);
	context->uc_mcontext.gregs[REG_EFL] &= ~0x10000;
	printf("stack %d %d %zu, flags %lx link %p\n", context->uc_stack.ss_sp == room, on_stack ? context->uc_stack.ss_flags : 0,
	    context->uc_stack.ss_size, context->uc_flags & 6, context->uc_link);
	bytes("mask", &context->uc_sigmask, 8);
#ifdef __x86_64__
	numbers("context", (uintptr_t *)context->uc_mcontext.gregs, 23, (uintptr_t)frame);
	state((unsigned char *)context->uc_mcontext.fpregs);
	context->uc_mcontext.gregs[REG_RIP] += 2, context->uc_mcontext.gregs[REG_R8]++;
	context->uc_mcontext.gregs[REG_RBP] += 7, context->uc_mcontext.gregs[REG_EFL] ^= 0x441;
#else
	numbers("context", (uintptr_t *)context->uc_mcontext.gregs, 19, (uintptr_t)frame);
	printf("mask %lx, address %lx\n", context->uc_mcontext.oldmask, context->uc_mcontext.cr2);
	bytes("legacy", context->uc_mcontext.fpregs, 12);
	bytes("legacy", (char *)context->uc_mcontext.fpregs + 28, 84);
	state((unsigned char *)context->uc_mcontext.fpregs + 112);
	((char *)context->uc_mcontext.fpregs)[28 + 9] ^= 0x40;
	context->uc_mcontext.gregs[REG_EIP] += 2, context->uc_mcontext.gregs[REG_EBX]++;
	context->uc_mcontext.gregs[REG_EDI] += 5, context->uc_mcontext.gregs[REG_EFL] ^= 0x441;
#endif
	sigaddset(&context->uc_sigmask, SIGUSR2), sigaddset(&context->uc_sigmask, 40);
}

#ifdef __i386__
/* Segments that a program asks for: what it is told of them. */
static void areas(void)
{
	static const unsigned places[][2] = { { 0, 0 }, { 0x12345678, 0xfffff }, { 0xff000000, 0xabcde }, { 0, 1 }, { 1, 0 } };

	for (int i = 0; i < 5; i++) {
		printf("%x %x:", places[i][0], places[i][1]);
		for (unsigned flags = 0; flags < 256; flags++) {
			unsigned wanted[4] = { 14, places[i][0], places[i][1], flags }, got[4] = { 14 };

			if (syscall(SYS_set_thread_area, wanted) == 0 && syscall(SYS_get_thread_area, got) == 0)
				printf(" %x", got[1] == wanted[1] && got[2] == wanted[2] && got[0] == 14 ? got[3] : ~0);
			else
				printf(" -");
		}
		printf("\n");
	}
	for (int entry = 8; entry < 18; entry++) {
		unsigned wanted[4] = { entry, 0x1000, 1, 0x51 };

		if (entry != 12)	/* the C library's own */
			printf("%d %ld\n", entry, syscall(SYS_set_thread_area, wanted));
	}
	for (int i = 0; i < 4; i++) {
		unsigned any[4] = { -1, 0x1000, 1, 0x51 }, none[4] = { 13 + i % 2, 0, 0, 0x28 };
		long result;

		if (i == 2)
			syscall(SYS_set_thread_area, none);
		result = syscall(SYS_set_thread_area, any);
		printf("any %ld %d\n", result, (int)any[0]);
	}
}
#endif

static void after(int way)
{
	printf("way %d\n", way);
	numbers("afterwards", left, COUNT, 0);
	printf("flags %lx, modes %x %x %x\n", (unsigned long)flags[1], status[0], status[1], status[2]);
	bytes("seen", seen, 42);
}

static const struct { unsigned note; size_t size; } sets[] = {
#ifdef __x86_64__
	{ NT_PRSTATUS, 216 }, { NT_PRFPREG, 512 },
#else
	{ NT_PRSTATUS, 68 }, { NT_PRFPREG, 108 }, { NT_PRXFPREG, 512 }, { NT_386_TLS, 48 },
#endif
	{ 77, 8 },
};

static long set(int request, pid_t pid, unsigned note, void *data, size_t *size)
{
	struct iovec place = { data, *size };
	long result = ptrace(request, pid, (void *)(uintptr_t)note, &place);

	*size = place.iov_len;
	return result < 0 ? -errno : result;
}

/* A tracer reads and changes the registers, whole sets of them and parts. */
static void traced(void)
{
	static unsigned char data[1024];
	static uintptr_t words[27];
	int state;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		run();
		after(99);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &state, 0);
	printf("stopped by %d\n", WSTOPSIG(state));
	kept = ptrace(PTRACE_PEEKDATA, pid, &kept, NULL);
	for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
		size_t sizes[] = { 0, 3, 4, 8, 12, 16, sets[i].size - 8, sets[i].size, sets[i].size + 8 };

		for (int at = 0; at < 9; at++) {
			size_t size = sizes[at];
			long result;

			memset(data, 0xee, sizeof data);
			result = set(PTRACE_GETREGSET, pid, sets[i].note, data, &size);
			printf("set %x of %zu: %ld, %zu, ends %d\n", sets[i].note, sizes[at], result, size,
			    result || data[size] == 0xee);
			if (at == 7 && i == 0) {
				memcpy(words, data, sets[0].size);
#ifdef __x86_64__
				words[21] = words[22] = 0, words[18] &= ~0x10000;	/* bases of segments, RF */
				numbers("registers", words, 27, 0);
#else
				words[14] &= ~0x10000;
				numbers("registers", words, 17, 0);
#endif
			} else if (at == 7 && i < 3) {
				memset(data + 8, 0, 16);	/* where the last instruction of x87 was */
				if (sets[i].size == 108)
					memset(data + 12, 0, 16);
				memset(data + 464, 0, 48), memset(data + 28, 0, sets[i].size > 200 ? 4 : 0);
				bytes("registers", data, sets[i].size);
			}
			if (result == 0 && sets[i].note != NT_PRSTATUS && at == 7) {
				data[28 + 9 + (sets[i].size > 200 ? 4 : 0)] ^= 0x40;
				printf("changed %ld\n", set(PTRACE_SETREGSET, pid, sets[i].note, data, &size));
			}
		}
	}
	for (int at = 0; at < 27; at++) {	/* one register, or a part of one, and all up to there */
		static const size_t parts[] = { sizeof(long), 2 * sizeof(long), 0, 5 };
		size_t size = sets[0].size;

		set(PTRACE_GETREGSET, pid, NT_PRSTATUS, words, &size);
		words[0] += 16, words[1] += 32, words[4] += 5;
		size = parts[at % 4];
		if (at < 4)
			printf("a part %ld\n", set(PTRACE_SETREGSET, pid, NT_PRSTATUS, words, &size));
	}
	for (long at = -8; at < 320; at += at == -8 ? 3 : at == -5 ? 5 : at < 100 ? sizeof(long) : 12) {
		errno = 0;
		uintptr_t word = ptrace(PTRACE_PEEKUSER, pid, (void *)at, NULL);
		printf("%ld: %s%d ", at, errno ? strerror(errno) : "", !errno);
	}
	for (long at = 840; at < 960; at += 8)
		printf(" %ld", (errno = 0, ptrace(PTRACE_PEEKUSER, pid, (void *)at, NULL), (long)errno));
	printf("\n");
	{
		size_t size = sets[0].size;

		set(PTRACE_GETREGSET, pid, NT_PRSTATUS, words, &size);
#ifdef __x86_64__
		words[16] += 2, words[18] ^= 0x441, words[5] = 0x123456789abcdef0;
		words[15] = 7, words[17] = 0x33;
#else
		words[12] += 2, words[14] ^= 0x441, words[0] = 0x9abcdef0, words[11] = 7;
#endif
		printf("changed %ld\n", set(PTRACE_SETREGSET, pid, NT_PRSTATUS, words, &size));
	}
	fflush(stdout);
	printf("goes on %ld\n", ptrace(PTRACE_CONT, pid, NULL, NULL));
	waitpid(pid, &state, 0);
	printf("ended %x\n", state);
}

int main(void)
{
	stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
	sigset_t set;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	for (int way = 0; way < 6; way++) {
		struct sigaction action = { .sa_handler = handler };

		with_info = way % 2, on_stack = way / 2;
		stack.ss_flags = on_stack == 2 ? 1 << 31 : 0;	/* SS_AUTODISARM */
		if (on_stack)
			sigaltstack(&stack, NULL);
		action.sa_flags = (with_info ? SA_SIGINFO : 0) | (on_stack ? SA_ONSTACK : 0);
		sigfillset(&action.sa_mask);
		sigaction(SIGILL, &action, NULL);
		sigemptyset(&set), sigaddset(&set, SIGUSR1), sigaddset(&set, 50);
		sigprocmask(SIG_SETMASK, &set, NULL);
#ifdef __x86_64__
		if (!with_info)
			continue;
#endif
		run();
		after(way);
		sigprocmask(0, NULL, &set);
		bytes("mask", &set, 8);
		sigaltstack(NULL, &stack);
		printf("stack %d %zu\n", stack.ss_flags, stack.ss_size);
		stack.ss_sp = room, stack.ss_size = sizeof room;
	}
#ifdef __i386__
	areas();
#endif
	traced();
	return 0;
}
