/* Scalar SSE on every pair of numbers where something changes, from several states of MXCSR: results and flags. */
#pragma GCC target("sse2")
#include <stdio.h>
#include <stdint.h>
#include <string.h>

static const uint64_t doubles[] = {
    0, 1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x1FFFFFFFFFFFFF, 0x20000000000000, 0x20000000000001,
    0x3CA0000000000000, 0x3E50000000000000, 0x3FD5555555555555, 0x3FF0000000000000, 0x3FF0000000000001,
    0x400921FB54442D18, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0x43DFFFFFFFFFFFFF, 0x43E0000000000000,
    0x47EFFFFFE0000000, 0x380FFFFFFFFFFFFF, 0x3810000000000000, 0x3820000000000000, 0x5FEFFFFFFFFFFFFF,
    0x7FCFFFFFFFFFFFFF, 0x7FDFFFFFFFFFFFFF, 0x7FE0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
    0x7FF8000000000001, 0x7FF0000000000001};
static const uint32_t floats[] = {
    0, 1, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x1000000, 0x1000001, 0x33800000, 0x3EAAAAAB, 0x3F800000, 0x3F800001,
    0x40490FDB, 0x4EFFFFFF, 0x4F000000, 0x5EFFFFFF, 0x5F000000, 0x1FFFFFFF, 0x20000000, 0x7E7FFFFF, 0x7EFFFFFF,
    0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00001, 0x7F800001};
static const uint32_t states[] = {0x1F80, 0x1FA0, 0x1FBF, 0x1F9F, 0x3FA0, 0x5FA0, 0x7FA0, 0x9FA0, 0x1FE0};
static const int64_t integers[] = {0, 1, -1, 3, 1 << 24, (1 << 24) + 1, INT32_MAX, INT32_MIN, INT64_C(1) << 53,
    (INT64_C(1) << 53) + 1, INT64_MAX, INT64_MIN};
#define COUNT(list) (sizeof list / sizeof *list)
static uint64_t sum;
static void add(uint64_t value) { sum = (sum ^ value) * 0x100000001B3 + (sum >> 29); }
#define BEGIN(state) uint32_t before = state, after; __asm__ volatile("ldmxcsr %0" : : "m"(before))
#define END __asm__ volatile("stmxcsr %0" : "=m"(after)); add(after)
#define SIGNED(list, at, top) (list[(at) >> 1] | (uint64_t)((at) & 1) << (top))

#define PAIRS(name, list, type, top) \
    static void do_##name(uint32_t state, unsigned i, unsigned j) { \
        type a = SIGNED(list, i, top), b = SIGNED(list, j, top); uint64_t out[2] = {a, 0x5555}; \
        uint64_t in[2] = {b, 0x6666}; BEGIN(state); \
        __asm__ volatile("movups %0, %%xmm1\n movups %1, %%xmm2\n " #name " %%xmm2, %%xmm1\n movups %%xmm1, %0" \
                         : "+m"(out) : "m"(in) : "xmm1", "xmm2"); END; add(out[0]); add(out[1]); }
#define ORDERS(name, list, type, top) \
    static void do_##name(uint32_t state, unsigned i, unsigned j) { \
        type a = SIGNED(list, i, top), b = SIGNED(list, j, top); uint64_t out[2] = {a}, in[2] = {b}; unsigned long flags; \
        BEGIN(state); \
        __asm__ volatile("movups %1, %%xmm1\n movups %2, %%xmm2\n " #name " %%xmm2, %%xmm1\n pushf\n pop %0" \
                         : "=r"(flags) : "m"(out), "m"(in) : "xmm1", "xmm2", "cc"); END; add(flags & 0x8D5); }
#define INTEGERS(name, list, type, top) \
    static void do_##name(uint32_t state, unsigned i, unsigned j) { \
        type a = SIGNED(list, i, top); uint64_t in[2] = {a}; long out = j; BEGIN(state); \
        __asm__ volatile("movups %1, %%xmm1\n " #name " %%xmm1, %0" : "+r"(out) : "m"(in) : "xmm1"); \
        END; add(out); }
#define DOUBLE(kind, name) kind(name, doubles, uint64_t, 63)
#define FLOAT(kind, name) kind(name, floats, uint32_t, 31)
#define BOTH(name) DOUBLE(PAIRS, name##sd) FLOAT(PAIRS, name##ss)
#define ALL_PAIRS(X) X(add) X(sub) X(mul) X(div) X(sqrt) X(min) X(max) X(cmplt) X(cmpeq) X(cmpunord) X(cmpnle)
ALL_PAIRS(BOTH)
DOUBLE(PAIRS, cvtsd2ss) FLOAT(PAIRS, cvtss2sd)
DOUBLE(ORDERS, comisd) DOUBLE(ORDERS, ucomisd) FLOAT(ORDERS, comiss) FLOAT(ORDERS, ucomiss)
#define TO_INTEGERS(X) X(DOUBLE, cvtsd2si) X(DOUBLE, cvttsd2si) X(FLOAT, cvtss2si) X(FLOAT, cvttss2si)
#define LONG(way, name) way(INTEGERS, name)
TO_INTEGERS(LONG)
#define SHORT(name) \
    static void do_##name##_32(uint32_t state, unsigned i, unsigned j) { \
        uint64_t in[2] = {SIGNED(doubles, i, 63)}; \
        uint32_t out = j; BEGIN(state); \
        __asm__ volatile("movups %1, %%xmm1\n " #name " %%xmm1, %0" : "+r"(out) : "m"(in) : "xmm1"); \
        END; add(out); }
SHORT(cvtsd2sil) SHORT(cvttsd2sil)
#define FROM(name, type) \
    static void do_##name(uint32_t state, unsigned i, unsigned j) { \
        type value = (type)integers[i % COUNT(integers)]; uint64_t out[2] = {7, j}; BEGIN(state); \
        __asm__ volatile("movups %0, %%xmm1\n " #name " %1, %%xmm1\n movups %%xmm1, %0" \
                         : "+m"(out) : "r"(value) : "xmm1"); END; add(out[0]); add(out[1]); }
FROM(cvtsi2sdl, int32_t) FROM(cvtsi2ssl, int32_t)
#ifdef __x86_64__
FROM(cvtsi2sdq, int64_t) FROM(cvtsi2ssq, int64_t)
#endif

static void run(const char *name, void (*what)(uint32_t, unsigned, unsigned), unsigned numbers)
{
    uint32_t usual = 0x1F80;
    sum = 14695981039346656037u;
    for (unsigned state = 0; state < COUNT(states); state++)
        for (unsigned i = 0; i < 2 * numbers; i++)
            for (unsigned j = 0; j < 2 * numbers; j++)
                what(states[state], i, j);
    __asm__ volatile("ldmxcsr %0" : : "m"(usual));
    printf("%s %016llx\n", name, (unsigned long long)sum);
}
#define RUN(name, list) run(#name, do_##name, COUNT(list));
#define RUN_BOTH(name) RUN(name##sd, doubles) RUN(name##ss, floats)

int main(void)
{
    ALL_PAIRS(RUN_BOTH)
    RUN(cvtsd2ss, doubles) RUN(cvtss2sd, floats) RUN(comisd, doubles) RUN(ucomisd, doubles)
    RUN(comiss, floats) RUN(ucomiss, floats) RUN(cvtsd2si, doubles) RUN(cvttsd2si, doubles)
    RUN(cvtss2si, floats) RUN(cvttss2si, floats) RUN(cvtsd2sil_32, doubles) RUN(cvttsd2sil_32, doubles)
    RUN(cvtsi2sdl, doubles) RUN(cvtsi2ssl, doubles)
#ifdef __x86_64__
    RUN(cvtsi2sdq, doubles) RUN(cvtsi2ssq, doubles)
#endif
    return 0;
}
