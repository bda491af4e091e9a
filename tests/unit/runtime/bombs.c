/* Programs that use one thing without end, and print how often they could and what ended it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[1 << 16];

static int fill(int fd) { return write(fd, block, sizeof block) == sizeof block; }

static void *sleeper(void *unused) { pause(); return unused; }

static int deep(int n) { volatile char frame[4096]; frame[0] = n; return deep(n + 1) + frame[0]; }

static void hog(void)
{
    for (;;)
        memset(malloc(1 << 18), 1, 1 << 18);
}

static int once(const char *kind)
{
    static int file = -1, ends[2];
    static pthread_attr_t small;
    pthread_t thread;

    if (!strcmp(kind, "zombie")) {
        int pid = fork();
        if (!pid)
            _exit(0);
        return pid > 0;
    }
    if (!strcmp(kind, "thread")) {
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 16384);
        errno = pthread_create(&thread, &small, sleeper, 0);
        return !errno;
    }
    if (!strcmp(kind, "pipe"))
        return pipe(ends) == 0;
    if (!strcmp(kind, "write") || !strcmp(kind, "shm") || !strcmp(kind, "memfd")) {
        if (file < 0)
            file = *kind == 'w' ? open("/tmp/bomb", O_CREAT | O_WRONLY, 0600)
                 : *kind == 's' ? open("/dev/shm/bomb", O_CREAT | O_WRONLY, 0600) : memfd_create("bomb", 0);
        return fill(file);
    }
    if (!strcmp(kind, "map"))
        return mmap(0, 1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    if (!strcmp(kind, "brk"))
        return sbrk(1 << 30) != (void *)-1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *kind = argv[1];
    long count = 0;
    int status;

    if (!strcmp(kind, "fork"))
        for (;;)
            fork();
    if (!strcmp(kind, "hog"))
        hog();
    if (!strcmp(kind, "deep"))
        return deep(0);
    if (!strcmp(kind, "child")) {
        if (!fork())
            hog();
        wait(&status);
        memset(malloc(1 << 16), 1, 1 << 16);
        printf("child killed by %d\n", WTERMSIG(status));
        return 0;
    }
    while (once(kind))
        count++;
    status = errno;
    printf("%s %ld %d\n", kind, count, status);
    fflush(stdout);
    _exit(0);
}
