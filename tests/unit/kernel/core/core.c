/* Exercises threads, signals, timers, faults, fork, stop and continue, spawn and exec.
 * Prints nothing that differs between two correct machines.  `core spin` never ends. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifdef __aarch64__
#define UNDEFINED ".inst 0"
#define BREAKPOINT "brk #0"
#else
#define UNDEFINED "ud2"
#define BREAKPOINT "int3"
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count, turn;
/* Virtual time passes by the bytes of code: long blocks pass it with few stops where each block is counted. */
#define PASS_TIME __asm__ volatile(".rept 100\n\tnop\n\t.endr")

static volatile sig_atomic_t alarms, children, queued, spinning, stop;
static sigjmp_buf back;

static void *taking_turns(void *number)
{
    long id = (long)number;
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&lock);
        while (turn != id)
            pthread_cond_wait(&changed, &lock);
        count++;
        turn = (turn + 1) % 4;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return (void *)(id * 2);
}

static void *spin(void *unused)
{
    unsigned long n = 0;
    (void)unused;
    do {
        n++;
        spinning = 1;
        PASS_TIME;
    } while (!stop);
    return (void *)(long)(n > 0);
}

static void on_alarm(int s) { (void)s; alarms++; }
static void on_child(int s) { (void)s; children++; }
static void on_queued(int s, siginfo_t *info, void *c) { (void)s; (void)c; queued += info->si_value.sival_int; }

static void on_fault(int s, siginfo_t *info, void *c)
{
    char here;
    stack_t stack;
    (void)c;
    sigaltstack(NULL, &stack);
    printf("signal %d code %d on stack %d\n", s, info->si_code,
           &here > (char *)stack.ss_sp && &here < (char *)stack.ss_sp + stack.ss_size);
    siglongjmp(back, 1);
}

static void handle(int s, void (*plain)(int), void (*full)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (full)
        action.sa_sigaction = full;
    else
        action.sa_handler = plain;
    action.sa_flags = flags | (full ? SA_SIGINFO : 0);
    sigaction(s, &action, NULL);
}

static void threads(void)
{
    pthread_t t[4];
    long sum = 0;
    void *result;
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, taking_turns, (void *)i);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &result);
        sum += (long)result;
    }
    printf("count %d sum %ld\n", count, sum);
    pthread_create(&t[0], NULL, spin, NULL);
    while (!spinning)
        PASS_TIME;
    usleep(500);
    stop = 1;
    pthread_join(t[0], &result);
    printf("spun %ld\n", (long)result);
}

static void signals(void)
{
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    union sigval value;
    volatile double sum = 0.5;
    volatile int zero = 0;
    stack_t stack;

    handle(SIGALRM, on_alarm, NULL, 0);
    setitimer(ITIMER_REAL, &every, NULL);
    while (alarms < 3) {
        sum += 1.0;
        PASS_TIME;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("alarms, fraction %g\n", sum - (long)sum);

    memset(&stack, 0, sizeof stack);
    stack.ss_size = 65536;
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    handle(SIGSEGV, NULL, on_fault, SA_ONSTACK);
    if (!sigsetjmp(back, 1))
        *(volatile int *)0x1234 = 1;
    if (!sigsetjmp(back, 1))
        *(volatile char *)"constant" = 1;
    handle(SIGFPE, NULL, on_fault, SA_ONSTACK);
#ifndef __aarch64__ /* a division by zero is zero there */
    if (!sigsetjmp(back, 1))
        printf("%d\n", (int)alarms / zero);
#endif
    handle(SIGILL, NULL, on_fault, SA_ONSTACK);
    if (!sigsetjmp(back, 1))
        __asm__ volatile(UNDEFINED);
    handle(SIGTRAP, NULL, on_fault, SA_ONSTACK);
    if (!sigsetjmp(back, 1))
        __asm__ volatile(BREAKPOINT);

    handle(SIGRTMIN + 1, NULL, on_queued, 0);
    value.sival_int = 7;
    for (int i = 0; i < 5; i++)
        sigqueue(getpid(), SIGRTMIN + 1, value);
    printf("queued %d\n", (int)queued);
}

static void processes(void)
{
    int ends[2], status;
    char text[4] = "";
    char *words[] = {"echo", "spawned", NULL};
    pid_t child;

    handle(SIGCHLD, on_child, NULL, SA_RESTART);
    pipe(ends);
    if (!(child = fork())) {
        usleep(1000);
        write(ends[1], "hi", 2);
        _exit(7);
    }
    status = (int)read(ends[0], text, 2);
    printf("read %d %s\n", status, text);
    waitpid(child, &status, 0);
    printf("status %d, told %d\n", WEXITSTATUS(status), children > 0);
    posix_spawn(&child, "/bin/echo", NULL, NULL, words, environ);
    waitpid(child, &status, 0);
    printf("spawn %x\n", status);
    if (!(child = fork()))
        abort();
    waitpid(child, &status, 0);
    printf("killed by %d\n", WTERMSIG(status));
    if (!(child = fork()))
        for (;;)
            PASS_TIME;
    usleep(200);
    kill(child, SIGSTOP);
    waitpid(child, &status, WUNTRACED);
    printf("stopped %d\n", WIFSTOPPED(status) ? WSTOPSIG(status) : -1);
    kill(child, SIGTERM);
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    printf("killed by %d\n", WTERMSIG(status));
    handle(SIGALRM, on_alarm, NULL, 0);
    alarm(1);
    status = (int)read(ends[0], text, 1);
    printf("read %d interrupted %d\n", status, errno == EINTR);
}

/* What waitid(2) tells of children that leave a core file behind, and of those that may not. */
static int mourn(void)
{
    static const int ends[] = { SIGQUIT, SIGABRT, SIGSEGV, SIGSYS, SIGTERM };
    struct rlimit limit = { 0, 1 << 20 };
    siginfo_t info;

    for (int i = 0; i < 10; i++) {
        limit.rlim_cur = i < 5 ? 1 << 20 : 0;
        if (!fork()) {
            setrlimit(RLIMIT_CORE, &limit);
            raise(ends[i % 5]);
        }
        waitid(P_ALL, 0, &info, WEXITED);
        printf("%d %d\n", info.si_code, info.si_status);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "spin"))
        for (;;)
            PASS_TIME;
    if (argc > 1 && !strcmp(argv[1], "crash"))
        *(volatile int *)0 = 1;
    if (argc > 1 && !strcmp(argv[1], "mourn"))
        return mourn();
    if (argc > 1 && !strcmp(argv[1], "hog"))
        for (;;)
            memset(malloc(1 << 20), 1, 1 << 20);
    if (argc > 1 && !strcmp(argv[1], "clock")) {
        unsigned low = 0, high = 0;
#ifdef __aarch64__
        __asm__ volatile("mrs %x0, cntvct_el0" : "=r"(low));
#else
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
#endif
        printf("%u %u\n", low, high);
        return 0;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    threads();
    signals();
    processes();
    execl("/bin/sh", "sh", "-c", "echo exec $0; exit 5", "worked", (char *)NULL);
    return 1;
}
