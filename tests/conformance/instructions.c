/*
 * Executes single instructions on given registers and memory, and writes what they leave.
 *
 *	instructions FILE
 *
 * FILE holds records of 32 bytes: the seed of the state (8 bytes), the length of the instruction, 7 bytes of
 * padding, and the instruction.  For each record a result goes to standard output (struct result).  Code, data
 * and states lie at fixed addresses below 2 GiB, so that two runs on two processors can be compared.
 */
#define	_GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define	DATA	0x10000000
#define	STATE	0x11000000
#define	CODE	0x20000000
#define	SLOT	64			/* bytes of code for one instruction */
#define	TAKEN	32			/* in a slot: where a jump goes */
#define	SLOTS	512			/* instructions that are written before they are executed */
#define	SIZE	8192			/* bytes of data; what lies around is not mapped */
#define	USED	1024			/* of them that are filled anew each time, around the middle */
#define	MIDDLE	(DATA + SIZE / 2)

#ifdef __x86_64__
#define	REGISTERS	16
#else
#define	REGISTERS	8
#endif

struct state {
	uint64_t registers[16];		/* by machine encoding */
	uint64_t flags;
	uint64_t target;		/* where the instruction stands */
	uint8_t padding[112];
	uint8_t floats[512];		/* as fxsave has them; at a multiple of 16 */
	uint8_t stack[1024];		/* of the code here, not of the instruction */
};

struct result {
	uint64_t registers[16];
	uint64_t flags;
	uint32_t signal, code, trap, error;
	uint64_t address, pc;		/* of a fault; pc as distance from the instruction */
	uint64_t memory;		/* a hash of the data */
	uint8_t floats[416];
	uint8_t upper[256];		/* halves of the vector registers, with -DVECTORS */
};

struct record {
	uint64_t seed;
	uint8_t length, padding[7], code[16];
};

#define	IN	((struct state *)STATE)
#define	OUT	((struct state *)(STATE + 4096))

#ifdef VECTORS
#define	UPPER_IN	(STATE + 0x800)
#define	UPPER_OUT	(STATE + 0x1800)
#define	EACH(M)		M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#ifdef __x86_64__
#define	EACH_MORE(M)	M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
#else
#define	EACH_MORE(M)
#endif
#define	LOAD(N)		"	vinsertf128 $1, 0x11000800+16*" #N ", %ymm" #N ", %ymm" #N "\n"
#define	KEEP(N)		"	vextractf128 $1, %ymm" #N ", 0x11001800+16*" #N "\n"
#define	LOAD_UPPER	EACH(LOAD) EACH_MORE(LOAD)
#define	KEEP_UPPER	EACH(KEEP) EACH_MORE(KEEP) "	vzeroupper\n"
#else
#define	LOAD_UPPER
#define	KEEP_UPPER
#endif

void run(void);
extern char back[];

#ifdef __x86_64__
__asm__(
"	.text\n"
"run:	push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
"	mov %rsp, 0x11003000\n"
"	fxrstorq 0x11000100\n"
LOAD_UPPER
"	mov $0x11000700, %rsp\n"
"	pushq 0x11000080\n"
"	popfq\n"
"	mov 0x11000000, %rax\n mov 0x11000008, %rcx\n mov 0x11000010, %rdx\n mov 0x11000018, %rbx\n"
"	mov 0x11000020, %rsp\n mov 0x11000028, %rbp\n mov 0x11000030, %rsi\n mov 0x11000038, %rdi\n"
"	mov 0x11000040, %r8\n mov 0x11000048, %r9\n mov 0x11000050, %r10\n mov 0x11000058, %r11\n"
"	mov 0x11000060, %r12\n mov 0x11000068, %r13\n mov 0x11000070, %r14\n mov 0x11000078, %r15\n"
"	jmp *0x11000088\n"
"back:	mov %rax, 0x11001000\n mov %rcx, 0x11001008\n mov %rdx, 0x11001010\n mov %rbx, 0x11001018\n"
"	mov %rsp, 0x11001020\n mov %rbp, 0x11001028\n mov %rsi, 0x11001030\n mov %rdi, 0x11001038\n"
"	mov %r8, 0x11001040\n mov %r9, 0x11001048\n mov %r10, 0x11001050\n mov %r11, 0x11001058\n"
"	mov %r12, 0x11001060\n mov %r13, 0x11001068\n mov %r14, 0x11001070\n mov %r15, 0x11001078\n"
"	mov $0x11001700, %rsp\n"
"	pushfq\n"
"	popq 0x11001080\n"
"	fxsaveq 0x11001100\n"
KEEP_UPPER
"	mov 0x11003000, %rsp\n"
"	cld\n"
"	pushq $2\n popfq\n"
"	fninit\n"
"	ldmxcsr 0x11003010\n"
"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
"	ret\n");
#else
__asm__(
"	.text\n"
"run:	push %ebx\n push %ebp\n push %esi\n push %edi\n"
"	mov %esp, 0x11003000\n"
"	fxrstor 0x11000100\n"
LOAD_UPPER
"	mov $0x11000700, %esp\n"
"	pushl 0x11000080\n"
"	popfl\n"
"	mov 0x11000000, %eax\n mov 0x11000008, %ecx\n mov 0x11000010, %edx\n mov 0x11000018, %ebx\n"
"	mov 0x11000020, %esp\n mov 0x11000028, %ebp\n mov 0x11000030, %esi\n mov 0x11000038, %edi\n"
"	jmp *0x11000088\n"
"back:	mov %eax, 0x11001000\n mov %ecx, 0x11001008\n mov %edx, 0x11001010\n mov %ebx, 0x11001018\n"
"	mov %esp, 0x11001020\n mov %ebp, 0x11001028\n mov %esi, 0x11001030\n mov %edi, 0x11001038\n"
"	mov $0x11001700, %esp\n"
"	pushfl\n"
"	popl 0x11001080\n"
"	fxsave 0x11001100\n"
KEEP_UPPER
"	mov 0x11003000, %esp\n"
"	cld\n"
"	pushl $2\n popfl\n"
"	fninit\n"
"	ldmxcsr 0x11003010\n"
"	pop %edi\n pop %esi\n pop %ebp\n pop %ebx\n"
"	ret\n");
#endif

static sigjmp_buf after;
static struct result result;
static uint64_t next;

static uint64_t
number(void)			/* xorshift64* */
{
	next ^= next >> 12;
	next ^= next << 25;
	next ^= next >> 27;
	return (next * 2685821657736338717ULL);
}

/* A number of the kinds that matter: small, near a power of two, or any. */
static uint64_t
value(void)
{
	uint64_t any = number(), kind = number() >> 60;

	if (kind < 4)
		return (any >> 56);
	if (kind < 6)
		return ((1ULL << (any & 63)) - (any >> 62));
	if (kind < 7)
		return (0 - (any >> 58));
	return (any);
}

/* Floating-point numbers of the kinds that matter, and any bits at all. */
static uint64_t
real(void)
{
	static const uint64_t kinds[] = { 0, 1ULL << 63, 0x3FF0000000000000, 0xBFF8000000000000,
	    0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF4000000000001, 1, 0x000FFFFFFFFFFFFF,
	    0x7FEFFFFFFFFFFFFF, 0x0010000000000000, 0x4330000000000000, 0x41DFFFFFFFC00000, 0x3FD5555555555555,
	    0x3F8000003F800000, 0x7F8000007FC00000, 0x0000000180000000, 0x4F0000004B000000, 0xFF800000BF800001 };
	uint64_t any = number();

	if (any % 3 == 0)
		return (kinds[(any >> 8) % (sizeof (kinds) / sizeof (kinds[0]))]);
	if (any % 3 == 1)		/* near one */
		return (0x3FC0000000000000ULL + (any >> 9) % 0x0080000000000000ULL);
	return (any);
}

static void
prepare(const struct record *record, uint64_t target)
{
	uint8_t *floats = IN->floats;
	uint64_t *words = (uint64_t *)(uintptr_t)(MIDDLE - USED / 2);
	int i;

	next = record->seed | 1;
	(void) number();
	for (i = 0; i < 16; i++)
		IN->registers[i] = value();
	/* base registers point into the data; two are small, for counts and indices */
	for (i = 3; i < REGISTERS; i++)
		if (i < 8 || i > 11)
			IN->registers[i] = MIDDLE + (number() & 0xF0);
	IN->registers[4] = MIDDLE + (number() & 0x70);
	if (number() & 1)
		IN->registers[1] = number() & 0x1F;
	IN->registers[8] &= 0xF;
	IN->flags = (number() & 0x8D5) | 0x202;
	IN->target = target;
	for (i = 0; i < USED / 8; i++)
		words[i] = number() & 1 ? real() : value();
	memset(floats, 0, 512);
	*(uint16_t *)floats = number() & 3 ? 0x37F : (uint16_t)((number() & 0xF00) | 0x7F);
	floats[4] = (uint8_t)(number() & 1 ? 0xFF : number());	/* which are not empty */
	*(uint16_t *)(floats + 2) = (uint16_t)((number() & 7) << 11);
	*(uint32_t *)(floats + 24) = number() & 3 ? 0x1F80 : (uint32_t)((number() & 0xE040) | 0x1F80);
	for (i = 0; i < 8; i++) {
		uint64_t exponent = number();
		uint64_t mantissa = number() | 1ULL << 63;

		exponent = exponent % 3 ? 0x3FFF - 40 + (exponent >> 8) % 80 : exponent >> 8;
		if (number() % 8 == 0)
			mantissa &= ~0xFFFFFFFFFFULL;
		if (number() % 16 == 0)
			exponent = mantissa = 0;
		else if ((exponent & 0x7FFF) == 0)
			exponent++;
		memcpy(floats + 32 + 16 * i, &mantissa, 8);
		memcpy(floats + 40 + 16 * i, &exponent, 2);
	}
	for (i = 0; i < REGISTERS * 2; i++) {
		uint64_t word = number() & 1 ? real() : value();

		memcpy(floats + 160 + 8 * i, &word, 8);
	}
#ifdef VECTORS
	for (i = 0; i < REGISTERS * 2; i++)
		((uint64_t *)(uintptr_t)UPPER_IN)[i] = number() & 1 ? real() : value();
#endif
}

static uint64_t
data_hash(void)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)(MIDDLE - USED / 2);
	uint64_t hash = 14695981039346656037ULL;
	int i;

	for (i = 0; i < USED / 8; i++)
		hash = (hash ^ words[i]) * 1099511628211ULL;
	return (hash);
}

/* What names the last x87 instruction and its operand differs by design: not compared. */
static void
keep_floats(const uint8_t *floats)
{
	int i;

	memcpy(result.floats, floats, 160 + 16 * REGISTERS);
	memset(result.floats + 6, 0, 18);
	memset(result.floats + 28, 0, 4);
	for (i = 0; i < 8; i++)
		memset(result.floats + 42 + 16 * i, 0, 6);
}

#ifdef VECTORS
/* What xsave has behind the 512 bytes: which components are in use, and from 576 on the upper halves. */
static void
keep_upper(const uint8_t *floats)
{
	if (*(const uint32_t *)(floats + 464) != 0x46505853)
		exit(3);
	if (floats[512] & 4)
		memcpy(result.upper, floats + 576, 16 * REGISTERS);
}
#else
#define	keep_upper(floats)
#endif

static void
faulted(int signal, siginfo_t *info, void *where)
{
#ifdef __x86_64__
	__asm__ volatile ("pushq $2; popfq" ::: "cc", "memory");	/* alignment checks, of popf */
#else
	__asm__ volatile ("pushl $2; popfl" ::: "cc", "memory");
#endif
	ucontext_t *context = where;
	greg_t *registers = context->uc_mcontext.gregs;
	int i;
#ifdef __x86_64__
	static const int order[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	uint64_t pc = (uint64_t)registers[REG_RIP];

	keep_floats((const uint8_t *)context->uc_mcontext.fpregs);
	keep_upper((const uint8_t *)context->uc_mcontext.fpregs);
#else
	static const int order[] = { REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI };
	uint64_t pc = (uint32_t)registers[REG_EIP];

	keep_floats((const uint8_t *)context->uc_mcontext.fpregs + 112);
	keep_upper((const uint8_t *)context->uc_mcontext.fpregs + 112);
#endif
	for (i = 0; i < REGISTERS; i++)
		result.registers[i] = (uint64_t)(unsigned long)registers[order[i]];
	result.flags = (uint64_t)registers[REG_EFL] & 0xCD5;
	result.signal = (uint32_t)signal;
	result.code = (uint32_t)info->si_code;
	result.trap = (uint32_t)registers[REG_TRAPNO];
	result.error = (uint32_t)registers[REG_ERR];
	result.address = (uint64_t)(uintptr_t)info->si_addr;
	result.pc = pc - IN->target;
	siglongjmp(after, 1);
}

static void
execute(const struct record *record, uint64_t target)
{
	memset(&result, 0, sizeof (result));
	prepare(record, target);
	if (sigsetjmp(after, 0) == 0) {
		run();
		memcpy(result.registers, OUT->registers, sizeof (result.registers));
		result.flags = OUT->flags & 0xCD5;
		keep_floats(OUT->floats);
#ifdef VECTORS
		memcpy(result.upper, (void *)(uintptr_t)UPPER_OUT, 16 * REGISTERS);
#endif
	} else {
		__asm__ volatile ("fninit; ldmxcsr 0x11003010; cld");
	}
	result.memory = data_hash();
	(void) fwrite(&result, sizeof (result), 1, stdout);
}

static void
place(uint64_t address, size_t size, int protection)
{
	void *wanted = (void *)(uintptr_t)address;

	if (mmap(wanted, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != wanted)
		exit(2);
}

int
main(int argc, char **argv)
{
	static struct record records[SLOTS];
	static char handlers[65536];
	stack_t stack = { .ss_sp = handlers, .ss_size = sizeof (handlers) };
	struct sigaction action = { .sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	static char in[65536], out[65536];	/* without a heap, which each run would have elsewhere */
	FILE *file = argc > 1 ? freopen(argv[1], "rb", stdin) : NULL;
	size_t count, i;

	if (file == NULL)
		return (2);
	(void) setvbuf(file, in, _IOFBF, sizeof (in));
	(void) setvbuf(stdout, out, _IOFBF, sizeof (out));
	place(DATA, SIZE, PROT_READ | PROT_WRITE);
	place(STATE, 16384, PROT_READ | PROT_WRITE);
	place(CODE, SLOT * SLOTS, PROT_READ | PROT_WRITE | PROT_EXEC);
	*(uint32_t *)(uintptr_t)0x11003010 = 0x1F80;
	(void) sigaltstack(&stack, NULL);
	for (i = 0; i < sizeof (signals) / sizeof (signals[0]); i++)
		(void) sigaction(signals[i], &action, NULL);
	while ((count = fread(records, sizeof (records[0]), SLOTS, file)) > 0) {
		for (i = 0; i < count; i++) {		/* the instruction, and a jump to `back` */
			uint8_t *code = (uint8_t *)(uintptr_t)(CODE + SLOT * i);
			size_t length = records[i].length & 15;
			uint32_t distance = (uint32_t)((uintptr_t)back - (uintptr_t)(code + length + 5));

			memcpy(code, records[i].code, length);
			code[length] = 0xE9;
			memcpy(code + length + 1, &distance, 4);
			memcpy(code + TAKEN, "\017\013", 2);
		}
		for (i = 0; i < count; i++)
			execute(&records[i], CODE + SLOT * i);
	}
	return (fflush(stdout) != 0);
}
