/* What a freestanding SPARC program asks of Linux: files, pipes, processes, memory, signals. */

#ifdef __arch64__
#define TRAP "ta 0x6d"
#define FAILED "mov 0, %7\n\tmovcs %%xcc, 1, %7"
#define BIAS 2047
#else
#define BIAS 0
#define TRAP "ta 0x10"
#define FAILED "addx %%g0, %%g0, %7"
#endif

enum { EXIT = 1, FORK = 2, READ = 3, WRITE = 4, OPEN = 5, CLOSE = 6, WAIT4 = 7, UNLINK = 10, BRK = 17, LSEEK = 19,
       GETPID = 20, GETUID = 24, KILL = 37, PIPE = 42, MMAP = 71, MUNMAP = 73, MPROTECT = 74, SIGACTION = 102,
       SIGPROCMASK = 103, RETURN = 101, GETPPID = 197, GETTID = 143, SIGALTSTACK = 28, CLOCK_GETTIME = 257, WRITEV = 121 };

struct result { long value, second; int failed; };

static struct result call(long number, long a, long b, long c, long d, long e, long f)
{
    register long g1 __asm__("g1") = number;
    register long o0 __asm__("o0") = a;
    register long o1 __asm__("o1") = b;
    register long o2 __asm__("o2") = c;
    register long o3 __asm__("o3") = d;
    register long o4 __asm__("o4") = e;
    register long o5 __asm__("o5") = f;
    int failed;
    __asm__ volatile(TRAP "\n\t" FAILED
                     : "+r"(o0), "+r"(o1), "+r"(o2), "+r"(o3), "+r"(o4), "+r"(o5), "+r"(g1), "=&r"(failed)
                     : : "memory", "cc", "g2", "g3", "g4");
    return (struct result){o0, o1, failed};
}

#define CALL(n, a, b, c) call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)

static void say(const char *text)
{
    long size = 0;
    while (text[size])
        size++;
    CALL(WRITE, 1, text, size);
}

static void number(const char *name, unsigned long value)
{
    char line[20], *at = line + 19;
    *at = 0;
    *--at = '\n';
    do
        *--at = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    say(name);
    say(at);
}

/* -- signals -- */

struct action { void *handler; unsigned long flags; void *restorer; unsigned long mask[8 / sizeof (long)]; };
struct info { int signal, error, code; union { void *address; struct { int pid; unsigned uid; } sender; } u; };

void restore(void);
__asm__(".text\n.align 4\n.global restore\n.type restore, #function\nrestore: nop\nnop\n"
        "mov 101, %g1\n" TRAP "\n.size restore, . - restore\n");

static volatile int caught, code;
static void *volatile where;
static char *page;

static void handler(int signal, struct info *info, void *context)
{
    caught = signal;
    code = info->code;
    where = info->u.address;
    if (signal == 11) /* let the store be tried again */
        CALL(MPROTECT, page, 8192, 3);
}

static void install(int signal, void *function, unsigned long flags)
{
    struct action action = {function, 0x200 /* SA_SIGINFO */ | flags, 0, {0}};
    struct result r = call(SIGACTION, signal, (long)&action, 0, (long)restore, 8, 0);
    if (r.failed)
        number("sigaction ", r.value);
}

static double __attribute__((noinline)) busy(double x, int rounds)
{
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
        x = x * 1.5 - 1;
        sum += i;
        if (i == 3)
            CALL(KILL, CALL(GETPID, 0, 0, 0).value, 30, 0);
    }
    return x + sum;
}

static void signals(void)
{
    install(30 /* USR1 */, handler, 0);
    install(11, handler, 0);
    number("result in spite of a signal ", (long)(busy(7, 20) * 16));
    number("signal ", caught);
    page = (char *)call(MMAP, 0, 16384, 1, 0x22, -1, 0).value;
    page[5000] = 42;
    number("store after a fault ", page[5000]);
    number("signal ", caught);
    number("code ", code);
    number("address ", (char *)where - page);
    unsigned long usr1 = 1UL << 29, masks[2] = {usr1, 0}, old[2];
    caught = 0;
    call(SIGPROCMASK, 1, (long)masks, (long)old, 8, 0, 0);
    CALL(KILL, CALL(GETPID, 0, 0, 0).value, 30, 0);
    number("blocked ", caught);
    call(SIGPROCMASK, 4, (long)old, 0, 8, 0, 0);
    number("unblocked ", caught);
}

/* A handler on a stack of its own interrupts itself twice, the second time where no room is left: the program ends. */
struct stack { char *base; int flags; unsigned long size; };
static char other[16384] __attribute__((aligned(16)));
static char *volatile lowest;
void at_the_bottom(char *stack, long number, long process);
__asm__(".text\n.align 4\n.global at_the_bottom\n.type at_the_bottom, #function\nat_the_bottom: mov %o0, %sp\n"
        "mov %o1, %g1\nmov %o2, %o0\nmov 31, %o1\n" TRAP "\nunimp 0\n.size at_the_bottom, . - at_the_bottom\n");

static void nested(int signal, struct info *info, void *context)
{
    char *here = (char *)info;
    struct stack stack = {0, 4, 0}, now;
    if (here < other || here >= other + sizeof other || (lowest && here >= lowest))
        CALL(EXIT, 100, 0, 0);
    number("cannot be changed now ", CALL(SIGALTSTACK, &stack, 0, 0).value);
    CALL(SIGALTSTACK, 0, &now, 0);
    number("it is in use ", (now.base == other) * 16 + now.flags);
    if (lowest)
        at_the_bottom(other + 256 - BIAS, KILL, CALL(GETPID, 0, 0, 0).value);
    lowest = here;
    CALL(KILL, CALL(GETPID, 0, 0, 0).value, 31, 0);
    CALL(EXIT, 101, 0, 0);
}

static void disabling(int signal, struct info *info, void *context)
{
    struct stack none = {0, 2, 0};
    CALL(SIGALTSTACK, &none, 0, 0);
}

static void stacks(void)
{
    struct stack stack = {other, 0, 4095}, now;
    int status;
    number("too small ", CALL(SIGALTSTACK, &stack, 0, 0).value);
    stack.size = sizeof other;
    number("taken ", CALL(SIGALTSTACK, &stack, &now, 0).value);
    number("there was none ", now.flags + (now.base != 0) + now.size);
    CALL(SIGALTSTACK, 0, &now, 0);
    number("it is not in use ", (now.base == other) * 16 + now.flags + now.size);
    struct result child = CALL(FORK, 0, 0, 0);
    if (child.second) {
        install(11, 0, 0);
        install(31, nested, 0x21 /* SA_ONSTACK, SA_NODEFER */);
        CALL(KILL, CALL(GETPID, 0, 0, 0).value, 31, 0);
        CALL(EXIT, 102, 0, 0);
    }
    call(WAIT4, child.value, (long)&status, 0, 0, 0, 0);
    number("on a stack that is full ", status);
    install(31, disabling, 0);
    CALL(KILL, CALL(GETPID, 0, 0, 0).value, 31, 0);
    CALL(SIGALTSTACK, 0, &now, 0);
    number("a handler's change does not last ", (now.base == other) * 16 + now.flags + now.size);
}

/* -- the rest -- */

static void processes(void)
{
    struct result ends = CALL(PIPE, 0, 0, 0);
    struct result child = CALL(FORK, 0, 0, 0);
    int status = 0;
    char byte = 0;
    if (child.second) {
        CALL(WRITE, ends.second, "x", 1);
        CALL(EXIT, 33, 0, 0);
    }
    CALL(READ, ends.value, &byte, 1);
    number("from the child ", byte);
    number("it is that child ", call(WAIT4, -1, (long)&status, 0, 0, 0, 0).value == child.value);
    number("status ", status);
    child = CALL(FORK, 0, 0, 0);
    if (child.second)
        CALL(KILL, CALL(GETPID, 0, 0, 0).value, 10, 0); /* BUS */
    call(WAIT4, child.value, (long)&status, 0, 0, 0, 0);
    number("signal of a child ", status & 127);
}

static void files(void)
{
    char data[64];
    struct { const char *base; long size; } parts[2] = {{"gathered ", 9}, {"write\n", 6}};
    struct result r = CALL(OPEN, "/no/such/file", 0, 0);
    number("failed ", r.failed * 256 + r.value);
    number("close ", CALL(CLOSE, 77, 0, 0).value);
    number("not implemented ", CALL(999, 0, 0, 0).value);
    r = CALL(OPEN, "/etc/hostname", 0x400000 /* O_CLOEXEC */, 0);
    number("read ", CALL(READ, r.value, data, 2).value);
    number("at ", CALL(LSEEK, r.value, 0, 1).value);
    CALL(WRITEV, 1, parts, 2);
}

static void memory(void)
{
    char *end = (char *)CALL(BRK, 0, 0, 0).value;
    CALL(BRK, end + 20000, 0, 0);
    for (int i = 0; i < 20000; i++)
        end[i] = i;
    number("grown ", end[19999]);
    char *more = (char *)call(MMAP, 0, 40000, 3, 0x22, -1, 0).value;
    for (int i = 0; i < 40000; i += 1000)
        more[i] = i / 1000;
    number("mapped ", more[39000]);
    number("unmapped ", CALL(MUNMAP, more, 40000, 0).value);
    long time[2] = {-1, -1};
    number("clock ", CALL(CLOCK_GETTIME, 1, time, 0).value + (time[1] < 0));
}

void begin(void)
{
    files();
    memory();
    processes();
    signals();
    stacks();
    say("done\n");
    CALL(EXIT, 0, 0, 0);
}

__asm__(".text\n.global _start\n.type _start, #function\n_start:\ncall begin\nnop\n.size _start, . - _start\n");
