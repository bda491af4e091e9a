/* A freestanding SPARC program that prints checksums of what it computes. */

#ifdef __arch64__
#define TRAP "ta 0x6d"
#else
#define TRAP "ta 0x10"
#endif

typedef unsigned int word;

/* In assembly, which leaves anything in the upper half of a wide register. */
unsigned long integer_branches(word a, word b, word seed);
unsigned long float_branches(const float *a, const float *b, word seed);
unsigned long oddities(word a, word *memory);
unsigned long version_9(word a, word *memory);

word memory[64] __attribute__((aligned(8)));
static char line[16];

static word further(word seed)
{
#ifdef __arch64__
    for (int i = 0; i < 4; i++)
        seed = version_9(seed + i, memory);
#endif
    return seed;
}

static long call3(long number, long a, long b, long c)
{
    register long g1 __asm__("g1") = number;
    register long o0 __asm__("o0") = a;
    register long o1 __asm__("o1") = b;
    register long o2 __asm__("o2") = c;
    __asm__ volatile(TRAP : "+r"(o0) : "r"(g1), "r"(o1), "r"(o2) : "memory", "cc");
    return o0;
}

__attribute__((noinline)) void print(word value)
{
    for (int i = 7; i >= 0; i--, value >>= 4)
        line[i] = "0123456789abcdef"[value & 15];
    line[8] = '\n';
    call3(4, 1, (long)line, 9);
}

__attribute__((noinline)) word fibonacci(word n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* deeper than there are register windows, each level with values of its own */
__attribute__((noinline)) word deep(word n, word a, word b)
{
    word here = a * 31 + b;
    if (n)
        here += deep(n - 1, b ^ n, here);
    __asm__ volatile("" : "+r"(here));
    return here * 3 + a - b;
}

__attribute__((noinline)) word chosen(word which, word value)
{
    switch (which) {
    case 0: return value + 1;
    case 1: return value * 3;
    case 2: return value / 7;
    case 3: return (int)value % 11;
    case 4: return value << (value & 7);
    case 5: return (int)value >> 3;
    case 6: return ~value;
    case 7: return value - 100;
    case 8: return value ^ 0x5a5a5a5a;
    default: return 0;
    }
}

__attribute__((noinline)) word divide(int a, int b)
{
    unsigned long long wide = (unsigned long long)(word)a * (word)b;
    return a / b + a % b + (word)a / (word)b + (word)(wide >> 32) + (word)wide;
}

__attribute__((noinline)) word bytes(unsigned char *to, const unsigned char *from, int size)
{
    word sum = 0;
    for (int i = 0; i < size; i++) {
        to[i] = from[size - 1 - i] + i;
        sum = sum * 33 + to[i];
    }
    for (short *p = (short *)to; p < (short *)(to + size); p++)
        sum += *p;
    return sum;
}

__attribute__((noinline)) void sort(word *a, int size, int (*less)(word, word))
{
    for (int i = 1; i < size; i++) {
        word value = a[i];
        int at = i;
        for (; at && less(value, a[at - 1]); at--)
            a[at] = a[at - 1];
        a[at] = value;
    }
}

int unsigned_less(word a, word b) { return a < b; }
int signed_less(word a, word b) { return (int)a < (int)b; }

__attribute__((noinline)) word floats(int n)
{
    double sum = 0;
    float single = 1;
    for (int i = 1; i <= n; i++) {
        sum += (double)i / (i + 1) - (sum > 5 ? 0.5 : 0.25);
        single = single * 1.5f - (single < 3 ? 0.125f : single);
    }
    return (int)(sum * 100000) + (int)(single * 1000);
}

word everything(void)
{
    static const word values[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    static const float reals[] = {-1, 0, 2.5f, __builtin_nanf("")};
    word sum = 17;

    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            sum = integer_branches(values[i], values[j], sum);
    print(sum);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum = float_branches(&reals[i], &reals[j], sum);
    print(sum);
    for (int i = 0; i < 64; i++)
        memory[i] = sum = sum * 1103515245 + 12345;
    print(oddities(sum, memory));
    print(oddities(7, memory + 32));
    print(fibonacci(9));
    print(deep(30, 1, 2));
    for (word i = 0; i < 10; i++)
        sum += chosen(i, sum);
    print(sum);
    print(divide(sum & 0x7fffffff, 1234) + divide(-1000000, 77));
    print(bytes((unsigned char *)memory, (unsigned char *)(memory + 32), 100));
    sort(memory, 20, unsigned_less);
    sort(memory + 10, 20, signed_less);
    for (int i = 0; i < 64; i++)
        sum = sum * 31 + memory[i];
    print(sum);
    print(floats(20));
    print(further(sum));
    return sum;
}

__attribute__((noreturn)) void finish(word status)
{
    for (;;)
        call3(1, status, 0, 0);
}

void begin(void)
{
    finish(everything() & 127);
}

/* the first frame needs no more than the room that the machine leaves below it */
__asm__(".text\n.global _start\n.type _start, #function\n_start:\n"
        "call begin\nnop\n.size _start, . - _start\n");
