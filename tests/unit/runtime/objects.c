/* Programs that make one kind of kernel object without end, and print how often they could and what ended it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long number;
static char name[64];
static int ends[2] = {-1, -1}, file = -1;

/* A descriptor goes into a socket from which it is never taken; the sender closes its own. */
static int rights(void)
{
    char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room,
                             .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    if (number++ % 200 == 0)
        socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
    return sendmsg(ends[0], &message, MSG_DONTWAIT) == 1;
}

/* Takes all that was sent again, in another number each time, and so much may be sent anew. */
static int taken(void)
{
    for (int n = 0; n < 3000; n++) {
        if (!rights())
            return 0;
        char room[CMSG_SPACE(sizeof(int))], byte;
        struct iovec bytes = {&byte, 1};
        struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = n % 3 ? room : 0,
                                 .msg_controllen = n % 3 ? sizeof room : 0};
        int got;

        if (recvmsg(ends[1], &message, 0) != 1)
            return 0;
        if (n % 3) {
            memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
            close(got);
        }
        if (number % 200 == 0)
            close(ends[0]), close(ends[1]);
    }
    return 0;
}

static int record(void)
{
    struct flock lock = {F_WRLCK, SEEK_SET, 2 * number++, 1};

    if (file < 0)
        file = open("/tmp/record", O_CREAT | O_RDWR, 0600);
    return fcntl(file, F_SETLK, &lock) == 0;
}

static struct { long type; char text[8000]; } full = {1};

static int message(void)
{
    if (file >= 0 && msgsnd(file, &full, sizeof full.text, IPC_NOWAIT) == 0)
        return 1;
    return (file < 0 || errno == EAGAIN) && (file = msgget(IPC_PRIVATE, IPC_CREAT | 0600)) >= 0;
}

static int segment(void) { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0; }

static int shared(void)
{
    char *at = shmat(shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600), 0, 0);

    if (at == (void *)-1)
        return 0;
    memset(at, 1, 1 << 20);
    return 1;
}

static int undo(void)
{
    struct sembuf changes[500];

    if (number % 32000 == 0)
        file = semget(IPC_PRIVATE, 32000, IPC_CREAT | 0600);
    for (int n = 0; n < 500; n++)
        changes[n] = (struct sembuf){number++ % 32000, 1, SEM_UNDO};
    return semop(file, changes, 500) == 0;
}

static int watch(void)
{
    if (file < 0)
        file = inotify_init();
    sprintf(name, "/tmp/w%ld", number++);
    return close(creat(name, 0600)) == 0 && inotify_add_watch(file, name, IN_ALL_EVENTS) > 0;
}

/* Each file of events is among the interests of the next. */
static int nest(void)
{
    struct epoll_event event = {EPOLLIN};
    int next = epoll_create1(0);

    if (file < 0)
        file = eventfd(0, 0);
    if (epoll_ctl(next, EPOLL_CTL_ADD, file, &event) < 0)
        return 0;
    file = next;
    return 1;
}

/* The same descriptors interest many files of events. */
static int interest(void)
{
    struct epoll_event event = {EPOLLIN};

    if (number % 400 == 0) {
        file = epoll_create1(0);
        if (number == 0)
            for (pipe(ends); fcntl(ends[0], F_DUPFD, 500) >= 0;)
                ;
    }
    return epoll_ctl(file, EPOLL_CTL_ADD, 500 + number++ % 400, &event) == 0;
}

static int timer(void)
{
    timer_t timer;
    struct sigevent none = {.sigev_notify = SIGEV_NONE};

    return timer_create(CLOCK_MONOTONIC, &none, &timer) == 0;
}

/* Signals wait for children that never take them. */
static int signals(void)
{
    static pid_t children[4];
    sigset_t all;

    if (!number++) {
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, 0);
        for (int n = 0; n < 4; n++)
            if (!(children[n] = fork()))
                for (;;)
                    pause();
    }
    return sigqueue(children[number % 4], SIGRTMIN + number % 3, (union sigval){0}) == 0;
}

static int option(void)
{
    char value[64] = {0};

    if (file < 0)
        file = socket(AF_INET6, SOCK_STREAM, 0);
    return setsockopt(file, IPPROTO_IPV6, 1000 + number++, value, sizeof value) == 0;
}

static int hardlink(void)
{
    if (!number)
        close(creat("/tmp/link", 0600));
    sprintf(name, "/tmp/link%ld", number++);
    return link("/tmp/link", name) == 0;
}

/* Directories within directories, deeper than any path can say. */
static int directory(void)
{
    static char path[251];

    memset(path, 'd', 250);
    if (mkdir(path, 0700) == 0 && chdir(path) == 0)
        return 1;
    int why = errno;
    if (getcwd(path, sizeof path) || errno != ERANGE)
        return puts("the path has become short") > 0;
    errno = why;
    return 0;
}

static int words(char *file, int environment)
{
    static char *list[1 << 20], word[100000];
    long count = 1L << number++;
    int status;

    memset(word, 'w', sizeof word - 1);
    for (long n = 0; n < count && n < (1 << 20) - 1; n++)
        list[n] = word;
    if (!fork()) {
        execve(file, environment ? (char *[]){file, 0} : list, environment ? list : (char *[]){0});
        _exit(errno);
    }
    wait(&status);
    errno = WEXITSTATUS(status);
    return !status;
}

static int argument(void) { return words("/bin/true", 0); }
static int variable(void) { return words("/bin/true", 1); }

static int terminal(void) { return posix_openpt(O_RDWR) >= 0; }

static int zeros(void)
{
    char *where = mmap(0, 1L << 31, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (number++ || read(open("/dev/zero", O_RDONLY), where, 1L << 30) < 1 << 20)
        return 0;
    return write(open("/dev/null", O_WRONLY), where, 1L << 31) > 1 << 20;
}

/* A file of which a page is written here and there, and one whose mapped pages are touched. */
static int hole(void)
{
    if (file < 0)
        file = open("/tmp/hole", O_CREAT | O_RDWR, 0600);
    return pwrite(file, "x", 1, number++ << 32) == 1;
}

static sigjmp_buf before;

static void no_room(int signal)
{
    errno = ENOSPC;
    siglongjmp(before, 1);
}

static int touched(void)
{
    static char *place;

    if (!place) {
        file = open("/tmp/touched", O_CREAT | O_RDWR, 0600), ftruncate(file, 1L << 36);
        place = mmap(0, 1L << 36, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        signal(SIGBUS, no_room);
    }
    if (sigsetjmp(before, 1))
        return 0;
    place[number++ << 20] = 1;
    return 1;
}

/* What the host has is changed: its files' modes, its names. */
static const char *there = "";

static int changed(void)
{
    sprintf(name, "%s/f%ld", there, number++);
    return chmod(name, 0600) == 0;
}

static int removed(void)
{
    sprintf(name, "%s/f%ld", there, number++);
    return unlink(name) == 0;
}

static int moved(void)
{
    char to[64];
    struct stat old, new;

    sprintf(name, "%s/f%ld", there, number);
    sprintf(to, "%s/g%ld", there, number++);
    if (rename(name, to) == 0)
        return 1;
    int why = errno;
    if (stat(name, &old) < 0 || stat(to, &new) == 0)  /* it is done whole, or not at all */
        puts("half of it was done");
    errno = why;
    return 0;
}

/* Directories that are removed with what was in them leave their names only. */
static int emptied(void)
{
    sprintf(name, "%s/d%ld/f", there, number);
    if (chmod(name, 0600) < 0 || unlink(name) < 0)
        return 0;
    sprintf(name, "%s/d%ld", there, number++);
    return rmdir(name) == 0;
}

#define KIND(function) {#function, function}
static const struct { const char *name; int (*make)(void); } kinds[] = {
    KIND(rights), KIND(taken), KIND(record), KIND(message), KIND(segment), KIND(shared), KIND(undo), KIND(watch),
    KIND(nest), KIND(interest), KIND(timer), KIND(signals), KIND(option), KIND(hardlink), KIND(directory),
    KIND(argument), KIND(variable), KIND(terminal), KIND(zeros), KIND(hole), KIND(touched),
    KIND(changed), KIND(removed), KIND(moved), KIND(emptied)};

int main(int argc, char **argv)
{
    long count = 0;
    char stack[1 << 16];  /* has its pages before there is no memory left for them */

    dprintf(open("/dev/null", O_WRONLY), "%d\n", *(int *)memset(stack, 1, sizeof stack));
    if (argc > 2)
        there = argv[2];
    for (unsigned n = 0; n < sizeof kinds / sizeof *kinds; n++)
        if (!strcmp(kinds[n].name, argv[1])) {
            while (errno = 0, kinds[n].make())
                count++;
            dprintf(1, "%s %ld %d\n", argv[1], count, errno);
            kill(0, SIGKILL);
        }
}
