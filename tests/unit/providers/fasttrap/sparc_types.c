/* Arguments of every kind for a SPARC program's functions. */

struct pair { int first; short second; char name[6]; };
struct large { long parts[5]; };

struct pair thing = {77, -3, "abc"};
int memory;

static void leave(long status)
{
    register long g1 __asm__("g1") = 1;
    register long o0 __asm__("o0") = status;
#ifdef __arch64__
    __asm__ volatile("ta 0x6d" : : "r"(g1), "r"(o0));
#else
    __asm__ volatile("ta 0x10" : : "r"(g1), "r"(o0));
#endif
}

__attribute__((noinline)) long takes(int count, const char *name, struct pair *where, short small, long number,
                                     int sixth, int seventh, int eighth)
{
    memory += count + name[0] + where->first;
    return small + number + sixth * seventh * eighth;
}

__attribute__((noinline)) int mixes(int first, struct pair pair, double real, long long wide, int last)
{
    return first + pair.first + (int)real + (int)wide + last;
}

__attribute__((noinline)) struct large makes(int seed)
{
    return (struct large){{seed, seed + 1}};
}

void begin(void)
{
    long result = takes(-5, "hello", &thing, -9, 1000, 2, 3, 4);
    struct large large = makes(5);
    leave((result + mixes(1, thing, 2.5, 3, 4) + large.parts[1]) & 0);
}

__asm__(".text\n.global _start\n.type _start, #function\n_start:\ncall begin\nnop\n.size _start, . - _start\n");
