/* Computes while signals are thrown at it; the handler looks at where it was interrupted. */

#ifdef __arch64__
#define TRAP "ta 0x6d"
#define PC_OF(context) ((unsigned long *)((char *)(context) + 128))[17] /* siginfo_t, then struct pt_regs */
#else
#define TRAP "ta 0x10"
#define PC_OF(context) ((unsigned long *)(context))[1] /* struct pt_regs */
#endif

enum { EXIT = 1, WRITE = 4, SIGACTION = 102 };
enum { SIGNALS = 200, USR1 = 30 };

static long call(long number, long a, long b, long c, long d, long e)
{
    register long g1 __asm__("g1") = number;
    register long o0 __asm__("o0") = a;
    register long o1 __asm__("o1") = b;
    register long o2 __asm__("o2") = c;
    register long o3 __asm__("o3") = d;
    register long o4 __asm__("o4") = e;
    __asm__ volatile(TRAP : "+r"(o0), "+r"(o1), "+r"(o2), "+r"(o3), "+r"(o4), "+r"(g1) : : "memory", "cc");
    return o0;
}

struct action { void *handler; unsigned long flags; void *restorer; unsigned long mask[8 / sizeof (long)]; };

void restore(void);
__asm__(".text\n.align 4\n.global restore\n.type restore, #function\nrestore: nop\nnop\n"
        "mov 101, %g1\n" TRAP "\n.size restore, . - restore\n");

extern char __executable_start[], etext[];
static volatile int caught, strange;
static volatile double noise = 1, start = 1;

static void handler(int signal, void *info, void *context)
{
    unsigned long pc = PC_OF(context);
    if ((unsigned long)info & 15)
        strange++;
    noise = noise * 1.5 - noise * 0.75; /* in registers that the interrupted function has, too */
    if (pc < (unsigned long)__executable_start || pc >= (unsigned long)etext)
        strange++;
    caught++;
}

__attribute__((noinline)) unsigned mixed(unsigned seed, int depth)
{
    unsigned here = seed * 1103515245 + 12345;
    if (depth)
        here ^= mixed(here >> 3, depth - 1);
    return here & 1 ? here * 3 : here - 7;
}

__attribute__((noinline)) static double share(void)
{
    double one = start, two = one * 2, three = one * 3;
    for (int i = 0; i < 60; i++) {
        one = one * 0.5 + two * 0.25;
        two = two * 0.5 + three * 0.25;
        three = three * 0.5 + one;
    }
    return one + two + three;
}

static void say(const char *name, unsigned value)
{
    char line[40], *at = line + 40;
    *--at = '\n';
    do
        *--at = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    *--at = ' ';
    const char *last = name;
    while (*last)
        last++;
    while (last > name)
        *--at = *--last;
    call(WRITE, 1, (long)at, line + 40 - at, 0, 0);
}

void begin(void)
{
    struct action action = {handler, 0x202 /* SA_SIGINFO, SA_RESTART */, 0, {0}};
    call(SIGACTION, USR1, (long)&action, 0, (long)restore, 8);
    unsigned sum = 1;
    while (caught < SIGNALS) {
        sum = 1;
        for (int i = 0; i < 20; i++)
            sum = mixed(sum, 12);
        for (int i = 0; i < 5; i++)
            if (share() != share())
                strange++;
    }
    say("caught", caught);
    say("strange", strange);
    say("sum", sum);
    call(EXIT, 0, 0, 0, 0, 0);
}

__asm__(".text\n.global _start\n.type _start, #function\n_start:\ncall begin\nnop\n.size _start, . - _start\n");
