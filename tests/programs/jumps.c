/*
 * Calls functions that lie in pages of their own, from one place: one, three or many of them, so often that a
 * machine may remember where such a call leads.  Then their code changes: it is written over, another page is
 * mapped there, or none, and a child has other code at the same addresses than its parent.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 40, PAGE = 4096, ROUNDS = 4000, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

static char *code;
static sigjmp_buf back;

static void fail(const char *what)
{
    printf("%s\n", what);
    _exit(1);
}

/* The function of a page returns a number: mov eax, number; ret. */
static void write_function(int page, int number)
{
    char *at = code + page * PAGE + 16;
    at[0] = (char)0xb8;
    memcpy(at + 1, &number, sizeof number);
    at[5] = (char)0xc3;
}

__attribute__((noinline)) static int call(int page)
{
    return ((int (*)(void))(code + page * PAGE + 16))();
}

/* The sum of what so many functions return, which are called in turn; `step` apart, as some entries collide. */
static long sum(int count, int step)
{
    long total = 0;
    for (int i = 0; i < ROUNDS; i++)
        total += call(i % count * step);
    return total;
}

static long expected(int count, int step, int more)
{
    long total = 0;
    for (int i = 0; i < ROUNDS; i++)
        total += 1000 + i % count * step + more;
    return total;
}

static void check(int more, const char *what)
{
    static const int counts[] = {1, 3, 5, 20, 40};
    for (int i = 0; i < 5; i++) {
        int step = counts[i] < 5 ? 7 : 1;
        if (sum(counts[i], step) != expected(counts[i], step, more)) fail(what);
    }
}

static void fill(int more)
{
    for (int page = 0; page < PAGES; page++) write_function(page, 1000 + page + more);
}

static void on_fault(int number)
{
    siglongjmp(back, number);
}

static void map_again(void)
{
    if (mmap(code, PAGES * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != code) fail("mmap");
}

int main(void)
{
    int there[2], here[2], status;
    char byte = 0;
    pid_t child;

    code = mmap(NULL, PAGES * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED || pipe(there) || pipe(here)) fail("start");
    fill(0);
    check(0, "at first");
    fill(1);
    check(1, "written over");
    map_again();
    fill(2);
    check(2, "mapped over");

    child = fork();
    if (child == 0) {
        fill(3);
        for (int i = 0; i < 20; i++) {
            if (read(there[0], &byte, 1) != 1) _exit(1);
            if (sum(1, 1) != expected(1, 1, 3) || sum(9, 2) != expected(9, 2, 3)) fail("in the child");
            if (write(here[1], &byte, 1) != 1) _exit(1);
        }
        _exit(0);
    }
    for (int i = 0; i < 20; i++) {
        if (sum(1, 1) != expected(1, 1, 2) || sum(9, 2) != expected(9, 2, 2)) fail("in the parent");
        if (write(there[1], &byte, 1) != 1 || read(here[0], &byte, 1) != 1) fail("pipes");
    }
    if (waitpid(child, &status, 0) != child || status) fail("the child");

    signal(SIGSEGV, on_fault);
    if (sigsetjmp(back, 1) == 0) {
        mprotect(code, PAGES * PAGE, PROT_READ);
        call(0);
        fail("no right to execute");
    }
    munmap(code, PAGES * PAGE);
    if (sigsetjmp(back, 1) == 0) {
        call(0);
        fail("nothing mapped");
    }
    map_again();
    fill(4);
    check(4, "mapped again");
    printf("all is well\n");
    return 0;
}
