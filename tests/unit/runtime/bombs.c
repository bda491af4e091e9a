/* Programs that use one thing without end, and print how often they could and what ended it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[1 << 16];

static int fill(int fd) { return write(fd, block, sizeof block) > 0; }

static void *sleeper(void *unused) { pause(); return unused; }

static int deep(int n) { volatile char frame[4096]; frame[0] = n; return deep(n + 1) + frame[0]; }

static struct { long type; char text[8000]; } message = {1};

/* A new object of the kernel, filled as far as it takes more. */
static int filled(const char *kind)
{
    int ends[2], queue;

    if (!strcmp(kind, "pipebuffer"))
        return pipe(ends) == 0 && fill(ends[1]);
    if (!strcmp(kind, "socketbuffer")) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) < 0)
            return 0;
        while (write(ends[0], block, sizeof block) > 0)
            ;
        return errno == EAGAIN;
    }
    if (!strcmp(kind, "messages")) {
        if ((queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600)) < 0)
            return 0;
        while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0)
            ;
        return errno == EAGAIN;
    }
    return semget(IPC_PRIVATE, 32000, IPC_CREAT | 0600) >= 0;
}

static void hog(void)
{
    for (;;)
        memset(malloc(1 << 18), 1, 1 << 18);
}

static int once(const char *kind)
{
    static int file = -1, ends[2];
    static long number;
    static char name[64], *map;
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
    if (!strcmp(kind, "name")) {
        sprintf(name, "/tmp/bomb%ld", number++);
        return (file = open(name, O_CREAT | O_WRONLY, 0600)) >= 0 && close(file) == 0;
    }
    if (!strcmp(kind, "protection")) {
        if (!map)
            map = mmap(0, 1 << 29, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return mprotect(map + 8192 * number++, 4096, PROT_NONE) == 0;
    }
    return filled(kind);
}

int main(int argc, char **argv)
{
    const char *kind = argv[1];
    long count = 0;
    int status;
    struct rlimit many = {30000, 30000};

    setrlimit(RLIMIT_NOFILE, strchr(kind, 'b') ? &many : &(struct rlimit){1024, 1024});
    if (!strcmp(kind, "fork"))
        for (;;)
            fork();
    if (!strcmp(kind, "file"))  /* ignores that the disk is full */
        for (char block[4096];;) {
            int descriptor = open("/tmp/bomb", O_CREAT | O_WRONLY | O_APPEND, 0600);
            write(descriptor, block, sizeof(block));
            close(descriptor);
        }
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
