/* What calls answer beside their errors: what they have written, and what the next call finds. */
#include "portable.h"
#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define COUNT(array) (sizeof array / sizeof array[0])

static long show(const char *what, long value)
{
	int error = errno;
	if (value == -1)
		printf("%s: %s\n", what, strerrorname_np(error));
	else
		printf("%s: %ld\n", what, value);
	fflush(stdout);
	return value;
}
#define SAY(call) show(#call, call)

/* Whether the test says that the host lets root do what root may on a machine of its own. */
static int unconfined(void)
{
	return getenv("UNCONFINED") != NULL;
}

/* Do something in a process of its own, and tell how that ends. */
#define APART(...) do { \
	fflush(stdout); \
	pid_t child = fork(); \
	if (!child) { __VA_ARGS__; fflush(stdout); _exit(0); } \
	int status; \
	waitpid(child, &status, 0); \
	if (status) printf("ends with %#x\n", status); \
} while (0)

static void descriptors(void)
{
	char bytes[100] = "";
	int ends[2], sockets[2], left = -1, file = open("numbers", O_RDWR | O_CREAT | O_TRUNC, 0640);
	pipe(ends);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	write(file, bytes, 70);
	write(ends[1], bytes, 30);
	write(sockets[1], bytes, 20);
	int each[] = { file, ends[0], ends[1], sockets[0], sockets[1] };
	for (unsigned i = 0; i < COUNT(each); i++) {
		for (int at = 0; at <= 80; at += 40) {
			lseek(each[i], at, SEEK_SET);
			left = -1;
			show("FIONREAD", ioctl(each[i], FIONREAD, &left));
			printf("left %d\n", left);
		}
		SAY(ioctl(each[i], FIOCLEX));
		SAY(fcntl(each[i], F_GETFD));
		SAY(ioctl(each[i], FIONCLEX));
		SAY(fcntl(each[i], F_GETFD));
		for (int on = 1; on >= 0; on--) {
			SAY(ioctl(each[i], FIONBIO, &on));
			SAY(fcntl(each[i], F_GETFL) & (O_NONBLOCK | O_APPEND));
			SAY(ioctl(each[i], FIOASYNC, &on));
			SAY(fcntl(each[i], F_GETFL) & O_ASYNC);
		}
		SAY(fcntl(each[i], F_SETOWN, getpid()));
		SAY(fcntl(each[i], F_GETOWN) == getpid());
		SAY(fcntl(each[i], F_SETOWN, 0));
		SAY(fcntl(each[i], F_GETOWN));
		SAY(fcntl(each[i], F_SETSIG, SIGUSR1));
		SAY(fcntl(each[i], F_GETSIG));
		SAY(fcntl(each[i], F_SETSIG, 65));
		SAY(fcntl(each[i], F_GETSIG));
		SAY(fcntl(each[i], F_GETPIPE_SZ));
		SAY(fcntl(each[i], F_SETPIPE_SZ, 4097));
		SAY(fcntl(each[i], F_GETPIPE_SZ));
	}
	SAY(fallocate(file, 0, 0, 300));
	SAY(lseek(file, 0, SEEK_END));
	SAY(fallocate(file, FALLOC_FL_KEEP_SIZE, 300, 300));
	SAY(lseek(file, 0, SEEK_END));
	SAY(fallocate(file, 0, -1, 300));
	SAY(syscall(SYS_lseek, file, 0x7fffffff, SEEK_SET));
	SAY(syscall(SYS_lseek, file, 1, SEEK_CUR));
	SAY(syscall(SYS_lseek, file, -1, SEEK_CUR));
	SAY(lseek(file, 0, SEEK_SET));
	SAY(fallocate(file, 0, 0, 0));
	SAY(fallocate(ends[1], 0, 0, 300));
	SAY(fallocate(sockets[1], 0, 0, 300));
	int reading = open("numbers", O_RDONLY);
	SAY(fallocate(reading, 0, 0, 300));
	SAY(ftruncate(reading, 10));
	SAY(copy_file_range(file, NULL, reading, NULL, 10, 0));
	loff_t from = 0, to = 5;
	SAY(copy_file_range(file, &from, file, &to, 10, 0));
	to = 200;
	SAY(copy_file_range(file, &from, file, &to, 10, 0));
	printf("%lld %lld\n", (long long)from, (long long)to);
	SAY(copy_file_range(file, &from, file, &to, 10, 1));
	struct iovec pieces[] = { { "first", 5 }, { "second", 6 } };
	SAY(fcntl(ends[0], F_SETPIPE_SZ, 65536));
	SAY(vmsplice(ends[1], pieces, 2, 0));
	SAY(read(ends[0], bytes, 100));
	printf("%.11s\n", bytes + 30);
	SAY(vmsplice(file, pieces, 2, 0));
	struct iovec into = { bytes, 8 };
	for (int place = -2; place <= 2; place++) {
		lseek(file, 3, SEEK_SET);
		SAY(pwritev2(file, pieces, 2, place, 0));
		SAY(lseek(file, 0, SEEK_CUR));
		SAY(preadv2(file, &into, 1, place, 0));
		printf("%.8s\n", bytes);
		SAY(lseek(file, 0, SEEK_CUR));
	}
	static const int kept[] = { RWF_APPEND, RWF_DSYNC, RWF_SYNC | RWF_APPEND };
	for (unsigned i = 0; i < 2 * COUNT(kept); i++) {
		lseek(file, 3, SEEK_SET);
		SAY(pwritev2(file, pieces, 2, i % 2 ? -1 : 2, kept[i / 2]));
		SAY(lseek(file, 0, SEEK_CUR));
		SAY(lseek(file, 0, SEEK_END));
	}
	SAY(fcntl(file, F_GETFL) & (O_APPEND | O_SYNC));
	int appending = open("numbers", O_WRONLY | O_APPEND);
	SAY(write(appending, bytes, 0));
	SAY(lseek(appending, 0, SEEK_CUR));
	SAY(pwrite(appending, bytes, 5, 1));
	SAY(lseek(appending, 0, SEEK_CUR));
	SAY(write(appending, bytes, 5));
	SAY(lseek(appending, 0, SEEK_CUR));
	close(appending);
	SAY(pwritev2(file, pieces, 2, -2, RWF_APPEND));
	SAY(pwritev2(ends[1], pieces, 2, -1, RWF_APPEND));
	SAY(read(ends[0], bytes, 11));
	SAY(pwritev2(ends[1], pieces, 2, 0, RWF_APPEND));
	SAY(pwritev2(ends[1], pieces, 2, 0, 0));
	SAY(pwritev2(ends[1], pieces, 2, -1, 0));
	SAY(preadv2(ends[0], &into, 1, 0, 0));
	SAY(preadv2(ends[0], &into, 1, -1, 0));
	printf("%.8s\n", bytes);
}

static void names(void)
{
	char longest[300], *volatile nowhere = (char *)16;
	struct stat status;

	SAY(open(nowhere, O_RDONLY));
	SAY(stat(nowhere, &status));
	SAY(lstat(nowhere, &status));
	SAY(fstatat(AT_FDCWD, nowhere, &status, AT_EMPTY_PATH));
	SAY(access(nowhere, F_OK));
	SAY(readlink(nowhere, longest, sizeof longest));
	SAY(symlink("", "empty"));
	memset(longest, 'n', sizeof longest - 1);
	longest[299] = 0;
	mkdir("d", 0700);
	mkdir("d/e", 0700);
	close(open("f", O_CREAT | O_WRONLY, 0600));
	static const char *const paths[] = { ".", "..", "/", "d", "d/", "d/.", "d/..", "d/e/..", "f", "f/", "f/.", "none",
	    "none/", "none/x", "", "/proc", "/proc/self", "/dev" };
	for (unsigned i = 0; i < COUNT(paths); i++) {
		printf("%s\n", paths[i]);
		SAY(rmdir(paths[i]));
		SAY(link(paths[i], longest));
		longest[255] = 0;
		SAY(link("f", longest));
		SAY(unlink(longest));
		longest[255] = 'n';
		SAY(symlink(paths[i], ""));
		SAY(mkdir(paths[i], 0700));
		if (strchr("dfn", paths[i][0]) && paths[i][0]) {
			SAY(unlink(paths[i]));
			SAY(rename("f", paths[i]));
		}
		mkdir("d", 0700);
		mkdir("d/e", 0700);
		close(open("f", O_CREAT | O_WRONLY, 0600));
	}
}

static void messages(void)
{
	struct sockaddr_un place = { AF_UNIX, "stream" }, other = { AF_UNIX, "datagram" }, found;
	socklen_t size = sizeof found;
	char bytes[200];
	int stream = socket(AF_UNIX, SOCK_STREAM, 0), datagram = socket(AF_UNIX, SOCK_DGRAM, 0);
	SAY(bind(stream, (void *)&place, sizeof place));
	SAY(bind(stream, (void *)&other, sizeof other));
	SAY(bind(datagram, (void *)&place, sizeof place));
	SAY(bind(datagram, (void *)&other, sizeof other));
	SAY(listen(stream, 3));
	SAY(listen(datagram, 3));
	int third = socket(AF_UNIX, SOCK_DGRAM, 0), fourth = socket(AF_UNIX, SOCK_STREAM, 0);
	SAY(sendto(third, "x", 1, 0, (void *)&place, sizeof place));
	SAY(connect(third, (void *)&place, sizeof place));
	SAY(connect(fourth, (void *)&other, sizeof other));
	SAY(connect(fourth, (void *)&place, sizeof place));
	SAY(connect(fourth, (void *)&place, sizeof place));
	SAY(bind(fourth, (void *)&other, sizeof other));
	SAY(connect(third, (void *)&other, sizeof other));
	for (socklen_t room = 0; room < 20; room += 6) {
		memset(&found, '.', sizeof found);
		size = room;
		SAY(getsockname(stream, (void *)&found, &size));
		printf("%u %.10s\n", size, found.sun_path);
		size = room;
		SAY(getpeername(third, (void *)&found, &size));
		printf("%u\n", size);
	}
	struct iovec pieces[4] = { { "one", 3 }, { "second", 6 }, { "", 0 }, { "the third", 9 } };
	struct mmsghdr several[3] = { { { .msg_iov = pieces, .msg_iovlen = 1 } }, { { .msg_iov = pieces + 1, .msg_iovlen = 2 } },
	    { { .msg_iov = pieces, .msg_iovlen = 4 } } };
	SAY(sendmmsg(third, several, 3, 0));
	for (int i = 0; i < 3; i++)
		printf("%u sent\n", several[i].msg_len);
	char room[3][10];
	struct iovec into[3] = { { room[0], 10 }, { room[1], 10 }, { room[2], 10 } };
	struct mmsghdr taken[3] = { { { .msg_iov = into, .msg_iovlen = 1 } }, { { .msg_iov = into + 1, .msg_iovlen = 1 } },
	    { { .msg_iov = into + 2, .msg_iovlen = 1 } } };
	SAY(recvmmsg(datagram, taken, 3, MSG_DONTWAIT, NULL));
	for (int i = 0; i < 3; i++)
		printf("%u taken %d: %.*s\n", taken[i].msg_len, taken[i].msg_hdr.msg_flags, (int)taken[i].msg_len % 11, room[i]);
	struct ucred who = { 5, 5, 5 };
	size = sizeof who;
	SAY(getsockopt(stream, SOL_SOCKET, SO_PEERCRED, &who, &size));
	printf("%d %d\n", who.pid == getpid(), who.uid == getuid());
	SAY(getsockopt(datagram, SOL_SOCKET, SO_PEERCRED, &who, &size));
	printf("%d %d %d\n", who.pid, who.uid, who.gid);
	int accepted = accept(stream, NULL, NULL);
	size = 5;
	SAY(getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &who, &size));
	printf("%u %d\n", size, who.pid == getpid());
	for (int way = 0; way < 3; way++) {
		int pair[2];
		socketpair(AF_UNIX, way == 2 ? SOCK_SEQPACKET : SOCK_STREAM, 0, pair);
		write(pair[0], "abc", 3);
		write(pair[0], "defg", 4);
		SAY(recv(pair[1], bytes, 2, MSG_PEEK));
		SAY(recv(pair[1], bytes, 100, MSG_PEEK | MSG_TRUNC));
		SAY(shutdown(pair[way == 1], way == 1 ? SHUT_RD : SHUT_WR));
		SAY(recv(pair[1], bytes, 5, MSG_DONTWAIT));
		SAY(recv(pair[1], bytes, 5, MSG_DONTWAIT));
		SAY(recv(pair[1], bytes, 5, MSG_DONTWAIT));
		SAY(recv(pair[0], bytes, 5, MSG_DONTWAIT));
		SAY(send(pair[1], "x", 1, MSG_NOSIGNAL));
		SAY(send(pair[0], "x", 1, MSG_NOSIGNAL));
		SAY(shutdown(pair[0], 3));
		close(pair[0]);
		SAY(send(pair[1], "x", 1, MSG_NOSIGNAL));
		SAY(recv(pair[1], bytes, 5, MSG_DONTWAIT));
	}
}

static void much(void)
{
	char bytes[7000];
	memset(bytes, 'm', sizeof bytes);
	static const int kinds[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	for (int kind = 0; kind < 3; kind++) {
		int pair[2], count = 0, size = 0;
		long sum = 0;
		socketpair(AF_UNIX, kinds[kind] | SOCK_NONBLOCK, 0, pair);
		if (kind == 1) {
			while (count < 200 && write(pair[0], bytes, 1) == 1)
				count++;
			show("datagrams", count);
		} else
			for (int i = 0; i < 20; i++)
				write(pair[0], bytes, 3000);
		SAY(write(pair[0], bytes, 0));
		while ((size = read(pair[1], bytes, kind ? 700 : 7000)) > 0)
			sum += size;
		show("the end", size);
		show("taken", sum);
	}
	struct sockaddr_in name = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof name;
	int listener = socket(AF_INET, SOCK_STREAM, 0), here = socket(AF_INET, SOCK_STREAM, 0);
	SAY(bind(listener, (void *)&name, length));
	SAY(getsockname(listener, (void *)&name, &length));
	SAY(connect(here, (void *)&name, length));
	SAY(listen(listener, 1));
	SAY(connect(here, (void *)&name, length));
	int there = accept(listener, NULL, NULL);
	static char large[200000], taken[200000];
	for (unsigned i = 0; i < sizeof large; i++)
		large[i] = i * 7 + i / 256;
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		close(there);
		for (unsigned at = 0; at < sizeof large; at += 50000)
			write(here, large + at, 50000);
		_exit(0);
	}
	close(here);
	unsigned got = 0;
	for (long size; (size = read(there, taken + got, sizeof taken - got)) > 0; got += size)
		;
	waitpid(child, NULL, 0);
	printf("%u bytes, %d\n", got, memcmp(large, taken, sizeof large));
}

static void *named(void *unused)
{
	char path[64], name[32] = "";
	prctl(PR_SET_NAME, "a thread");
	snprintf(path, sizeof path, "/proc/self/task/%ld/comm", (long)syscall(SYS_gettid));
	int file = open(path, O_RDONLY);
	read(file, name, sizeof name - 1);
	printf("%s", name);
	return unused;
}

/* Much from file to file, and who has a lock that belongs to no process. */
static void whole(void)
{
	static char large[200000], taken[200000];
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	off_t from = 1;
	int one = open("one", O_RDWR | O_CREAT | O_TRUNC, 0600), two = open("two", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (unsigned i = 0; i < sizeof large; i++)
		large[i] = i * 7 + i / 256;
	SAY(write(one, large, sizeof large));
	SAY(sendfile(two, one, &from, 300000));
	SAY((long)from);
	SAY(pread(two, taken, sizeof taken, 0));
	SAY(memcmp(large + 1, taken, sizeof large - 1));
	SAY(lseek(one, 5, SEEK_SET));
	SAY(sendfile(two, one, NULL, 150000));
	SAY(lseek(one, 0, SEEK_CUR));
	SAY(lseek(two, 0, SEEK_CUR));
	SAY(fcntl(one, F_OFD_SETLK, &lock));
	int other = open("one", O_RDWR);
	for (int command = 0; command < 2; command++) {
		lock.l_type = F_RDLCK, lock.l_pid = 0;
		SAY(fcntl(other, command ? F_OFD_GETLK : F_GETLK, &lock));
		printf("%d %d\n", lock.l_type, (int)lock.l_pid);
	}
}

static int words[3];

static void *sleeper(void *unused)
{
	return (void *)syscall(SYS_futex, &words[1], FUTEX_WAIT_PRIVATE, 7, NULL);
}

/* Wake whoever waits for the third word, if its value compares: how many wake. -2 if the sleeper did not stay there:
   a kernel may wake it for nothing, and it goes back to the word it first waited for. */
static long wake_compared(unsigned how, int value)
{
	pthread_t thread;
	void *result;

	words[1] = 7, words[2] = value;
	pthread_create(&thread, NULL, sleeper, NULL);
	while (syscall(SYS_futex, &words[1], FUTEX_CMP_REQUEUE_PRIVATE, 0, 1L, &words[2], 7) < 1)
		sched_yield();
	words[1] = 0;
	long woken = syscall(SYS_futex, &words[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, &words[2], 1 << 28 | how << 24 | 3 << 12);
	int error = errno;
	syscall(SYS_futex, &words[2], FUTEX_WAKE_PRIVATE, 1);
	int returned = syscall(SYS_futex, &words[1], FUTEX_WAKE_PRIVATE, 1);
	pthread_join(thread, &result);
	errno = error;
	return returned || result ? -2 : woken;
}

/* FUTEX_WAKE_OP by every comparison, with one who waits, and by every operation. */
static void wake_ops(void)
{
	static const int values[] = { -5, -1, 0, 1, 5 };
	for (unsigned how = 0; how < 7; how++)
		for (unsigned i = 0; i < COUNT(values); i++) {
			long woken;
			while ((woken = wake_compared(how, values[i])) == -2)
				;
			printf("%u of %d: ", how, values[i]);
			show("wakes", woken);
			printf("%d\n", words[2]);
		}
	for (unsigned operation = 0; operation < 16; operation++)
		for (unsigned i = 0; i < COUNT(values); i++) {
			words[2] = values[i];
			printf("%u on %d: ", operation, values[i]);
			show("wakes", syscall(SYS_futex, &words[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, &words[2], operation << 28 | 6 << 12));
			printf("%d\n", words[2]);
		}
}

static void look(const char *what)
{
	struct stat found = { 0 }, same = { 0 };
	int result = stat("seen", &found);
	lstat("seen", &same);
	printf("%s: %d %o, as by lstat %d", what, result, found.st_mode, !memcmp(&found, &same, sizeof same));
	if (S_ISREG(found.st_mode))  /* of directories each file system says something else */
		printf(", %d links, %lld bytes, %d", (int)found.st_nlink, (long long)found.st_size, found.st_mtime == 5);
	putchar('\n');
}
#define CHANGE(call) show(#call, call), look("then")

/* Whoever looks at a file twice sees each change in between. */
static void seen(void)
{
	const struct timespec times[2] = { { 4, 0 }, { 5, 0 } };
	int file = open("seen", O_RDWR | O_CREAT | O_TRUNC, 0600);
	look("made");
	CHANGE(write(file, "abc", 3));
	CHANGE(fchmod(file, 0640));
	CHANGE(chmod("seen", 0604));
	CHANGE(link("seen", "seen2"));
	CHANGE(ftruncate(file, 100));
	CHANGE(truncate("seen2", 5));
	CHANGE(rename("seen2", "seen3"));
	CHANGE(unlink("seen3"));
	CHANGE(pwrite(file, "x", 1, 50));
	CHANGE(fallocate(file, 0, 0, 80));
	CHANGE(futimens(file, times));
	CHANGE(utimensat(AT_FDCWD, "seen", NULL, 0));
	CHANGE(utimensat(AT_FDCWD, "seen", times, 0));
	CHANGE(close(open("seen", O_WRONLY | O_TRUNC)));
	CHANGE(rename("seen", "seen4"));
	CHANGE(rename("seen4", "seen"));
	CHANGE(symlink("seen", "seen5"));
	CHANGE(rename("seen5", "seen"));
	CHANGE(unlink("seen"));
	CHANGE(mkdir("seen", 0700));
	CHANGE(mkdir("seen/in", 0700));
	CHANGE(rmdir("seen/in"));
	CHANGE(rmdir("seen"));
	close(file);
}

/* Which files can be mapped, by how they are open, and what the mapping may become. */
static void mapped(void)
{
	int ends[2];
	pipe(ends);
	const int files[] = { open("numbers", O_RDONLY), open("numbers", O_WRONLY), open("numbers", O_RDWR), open(".", O_RDONLY),
	    open("/dev/zero", O_RDWR), open("/dev/zero", O_RDONLY), open("/dev/null", O_RDWR), open("numbers", O_PATH), ends[0],
	    socket(AF_UNIX, SOCK_STREAM, 0) };
	static const int kinds[] = { MAP_PRIVATE, MAP_SHARED, MAP_SHARED_VALIDATE, 0 };
	for (unsigned i = 0; i < COUNT(files); i++)
		for (unsigned kind = 0; kind < COUNT(kinds); kind++)
			for (int rights = 0; rights < 4; rights++) {
				void *page = mmap(NULL, 4096, rights, kinds[kind], files[i], 0);
				printf("file %u kind %u rights %d: ", i, kind, rights);
				if (show("mapped", page == MAP_FAILED ? -1 : 0))
					continue;
				SAY(mprotect(page, 4096, PROT_READ | PROT_WRITE));
				SAY(mprotect(page, 4096, PROT_READ));
				SAY(munmap(page, 4096));
			}
	SAY((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, files[0], 1));
}

static void memory(void)
{
	mapped();
	SAY((long)mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	SAY((long)mmap(NULL, -4096UL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	SAY((long)mmap((void *)123, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	SAY((long)mmap((void *)-8192L, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	SAY((long)mmap(NULL, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0));
	SAY((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0));
	SAY((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 77, 0));
	SAY((long)syscall(SYS_mremap, 4096, 4096, 8192, 0));
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SAY((long)mremap(page + 1, 4096, 8192, MREMAP_MAYMOVE));
	SAY((long)mremap(page, 4096, 0, MREMAP_MAYMOVE));
	SAY((long)mremap(page, 4096, 4096, 8));
	SAY(munmap(page + 1, 4096));
	SAY(munmap(page, 0));
	SAY(mprotect(page + 1, 4096, PROT_READ));
	SAY(mprotect(page, 4096, 64));
	SAY(mprotect(page, 0, PROT_READ));
	SAY(msync(page, 4096, MS_SYNC | MS_ASYNC));
	SAY(msync(page, 4096, 64));
	SAY(madvise(page, 4096, 1000));
	SAY(madvise(page + 1, 4096, MADV_NORMAL));
	munmap(page, 4096);
	SAY(mprotect(page, 8192, PROT_READ));
	SAY(msync(page, 8192, MS_SYNC));
	SAY(madvise(page, 8192, MADV_NORMAL));
	struct rlimit few = { 4096 * 10, 4096 * 10 };
	APART({
		SAY(setrlimit(RLIMIT_AS, &few));
		SAY((long)mmap(NULL, 4096 * 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		SAY((long)mremap(page + 4096, 4096, 4096 * 20, MREMAP_MAYMOVE));
		SAY(brk((char *)sbrk(0) + 4096 * 20));
	});
	APART({
		struct rlimit limit;
		for (int i = 0; i < 18; i++) {
			SAY(getrlimit(i, &limit));
			SAY(setrlimit(i, &limit));
			/* Hosts differ in which have no limit: all get one. */
			limit.rlim_cur = limit.rlim_max = limit.rlim_max < 100000000 ? limit.rlim_max : 100000000;
			SAY(setrlimit(i, &limit));
			limit.rlim_cur++;
			SAY(setrlimit(i, &limit));
		}
	});
#ifdef __i386__
	unsigned words[] = { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	char *old = (char *)syscall(SYS_mmap, words);
	old[4095] = 7;
	printf("%d %d\n", old[0], old[4095]);
	words[1] = 0;
	SAY(syscall(SYS_mmap, words));
	SAY(syscall(SYS_mmap, 5));
#endif
}

static volatile int caught;

static void on_signal(int number)
{
	caught = number;
}

/* Rights that a process gives up and cannot take back. */
static void given(unsigned version)
{
	struct __user_cap_header_struct own = { version, 0 };
	unsigned words[8] = { 0 };

	SAY(syscall(SYS_capget, &own, words));
	words[0] &= 0xff;
	words[1] &= 0xff;
	SAY(syscall(SYS_capset, &own, words));
	words[0] = 0xfff;
	SAY(syscall(SYS_capset, &own, words));
	words[0] = words[1] = 0xf;
	words[2] = 0xff;
	SAY(syscall(SYS_capset, &own, words));
	words[2] = 0;
	SAY(syscall(SYS_capset, &own, words));
	SAY(syscall(SYS_capget, &own, words));
	printf("%#x %#x %#x\n", words[0] & 0xff, words[1] & 0xff, words[2]);
}

static void urgency(void)
{
	SAY(setpriority(PRIO_PROCESS, 0, 5));
	SAY(getpriority(PRIO_PROCESS, 0));
	SAY(nice(3));
#ifdef __i386__
	SAY(syscall(SYS_nice, 4));
#endif
	SAY(getpriority(PRIO_PROCESS, 0));
	SAY(setpriority(PRIO_PROCESS, 0, 100));
	SAY(getpriority(PRIO_PROCESS, 0));
	if (setresuid(12345, 12345, 12345))
		_exit(9);
	SAY(setpriority(PRIO_PROCESS, 0, 3));
	SAY(setpriority(PRIO_PROCESS, 1, 3));
	SAY(setpriority(PRIO_USER, 0, 19));
	SAY(getpriority(PRIO_USER, 0));
	SAY(getpriority(7, 0));
}

static void rights(void)
{
	static const unsigned versions[] = { 0, _LINUX_CAPABILITY_VERSION_1, _LINUX_CAPABILITY_VERSION_2,
	    _LINUX_CAPABILITY_VERSION_3 };
	for (unsigned i = 0; i < COUNT(versions); i++) {
		struct __user_cap_header_struct head = { versions[i], 0 };
		unsigned words[8];
		memset(words, 0x55, sizeof words);
		SAY(syscall(SYS_capget, &head, NULL));
		SAY(syscall(SYS_capget, &head, words));
		printf("%#x; %d %d %d %d; %#x\n", head.version, words[0] == words[1], words[2] == 0x55555555,
		    words[3] == 0x55555555, words[5] == 0x55555555, words[6]);
		head.pid = 99999999;
		SAY(syscall(SYS_capget, &head, words));
		head.pid = getppid();
		SAY(syscall(SYS_capset, &head, words));
		if (unconfined())
			APART(given(versions[i]));
	}
	if (unconfined())
		APART(urgency());
	APART({
		pid_t traced = fork();
		unsigned long message = 77;
		siginfo_t info;
		if (!traced) {
			ptrace(PTRACE_TRACEME, 0, 0, 0);
			raise(SIGUSR1);
			_exit(3);
		}
		waitpid(traced, NULL, 0);
		SAY(ptrace(PTRACE_GETEVENTMSG, traced, 0, &message));
		printf("%lu\n", message);
		SAY(ptrace(PTRACE_GETSIGINFO, traced, 0, &info));
		printf("%d %d\n", info.si_signo, info.si_code);
		SAY(ptrace(PTRACE_SETOPTIONS, traced, 0, PTRACE_O_TRACEEXIT));
		SAY(ptrace(PTRACE_CONT, traced, 0, 0));
		waitpid(traced, NULL, 0);
		SAY(ptrace(PTRACE_GETEVENTMSG, traced, 0, &message));
		printf("%#lx\n", message);
		SAY(ptrace(PTRACE_DETACH, traced, 0, 0));
		waitpid(traced, NULL, 0);
	});
	SAY(ptrace(PTRACE_TRACEME, 0, 0, 0) & 0);
	SAY(ptrace(PTRACE_TRACEME, 0, 0, 0));
	SAY(ptrace(PTRACE_ATTACH, getpid(), 0, 0));
	SAY(ptrace(PTRACE_PEEKUSER, getpid(), 0, 0));
	SAY(ptrace(PTRACE_SEIZE, getpid(), 0, 0));
	SAY(ptrace(PTRACE_CONT, 99999999, 0, 0));
	void *head;
	size_t length = 0;
	SAY(syscall(SYS_get_robust_list, 0, &head, &length));
	printf("%d\n", length == 3 * sizeof(long));
	SAY(syscall(SYS_get_robust_list, 99999999, &head, &length));
	SAY(syscall(SYS_set_robust_list, head, length + 1));
	sigset_t usr1;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	struct timespec none = { 0, 0 };
	siginfo_t info;
	memset(&info, 0, sizeof info);
	SAY(sigtimedwait(&usr1, &info, &none));
	kill(getpid(), SIGUSR1);
	SAY(sigtimedwait(&usr1, &info, &none));
	printf("%d %d %d\n", info.si_signo, info.si_code, info.si_pid == getpid());
	SAY(sigtimedwait(&usr1, &info, &none));
#ifdef __i386__
	unsigned set = 1U << (SIGUSR2 - 1), before = 0;
	SAY(syscall(SYS_signal, SIGUSR2, on_signal) == 0);
	raise(SIGUSR2);
	printf("caught %d\n", caught);
	SAY(syscall(SYS_signal, SIGUSR2, SIG_IGN) == 0);
	SAY(syscall(SYS_signal, SIGKILL, on_signal));
	SAY(syscall(SYS_sigprocmask, SIG_BLOCK, &set, &before));
	printf("%#x\n", before);
	SAY(syscall(SYS_sigprocmask, SIG_SETMASK, &set, &before));
	printf("%#x\n", before);
	SAY(syscall(SYS_sigprocmask, 9, &set, &before));
	SAY(syscall(SYS_sigprocmask, SIG_UNBLOCK, &set, NULL));
	sigprocmask(SIG_BLOCK, NULL, &usr1);
	printf("%d %d\n", sigismember(&usr1, SIGUSR1), sigismember(&usr1, SIGUSR2));
#else
	signal(SIGUSR2, on_signal);
#endif
}

static void counted(void)
{
	struct msqid_ds queue;
	struct shmid_ds segment;
	struct semid_ds set;
	struct rusage used;
	int message = msgget(IPC_PRIVATE, 0640), shared = shmget(IPC_PRIVATE, 5000, 0600), semaphores = semget(IPC_PRIVATE, 3, 0600);
	SAY(msgctl(message, IPC_STAT, &queue));
	printf("%o %ld %ld\n", queue.msg_perm.mode, (long)queue.msg_qnum, (long)queue.msg_qbytes);
	queue.msg_perm.mode = 0600;
	SAY(msgctl(message, IPC_SET, &queue));
	SAY(shmctl(shared, IPC_STAT, &segment));
	printf("%o %ld %ld\n", segment.shm_perm.mode, (long)segment.shm_segsz, (long)segment.shm_nattch);
	SAY(shmctl(shared, IPC_SET, &segment));
	SAY(semctl(semaphores, 0, IPC_STAT, &set));
	printf("%o %ld\n", set.sem_perm.mode, (long)set.sem_nsems);
	SAY(semctl(semaphores, 0, IPC_SET, &set));
	/* The lower 15 bits of a number are the place in the kernel's table. */
	printf("%d\n", msgctl(message & 32767, MSG_STAT, &queue) == message);
	printf("%d\n", shmctl(shared & 32767, SHM_STAT, &segment) == shared);
	printf("%d\n", semctl(semaphores & 32767, 0, SEM_STAT, &set) == semaphores);
	SAY(msgctl(message, IPC_RMID, NULL));
	SAY(shmctl(shared, IPC_RMID, NULL));
	SAY(semctl(semaphores, 0, IPC_RMID));
	SAY(msgctl(message, IPC_STAT, &queue));
	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_THREAD; who++) {
		memset(&used, 0x55, sizeof used);
		SAY(getrusage(who, &used));
		printf("%ld %ld %ld %ld %ld %ld %ld\n", used.ru_ixrss, used.ru_idrss, used.ru_isrss, used.ru_nswap, used.ru_msgsnd,
		    used.ru_msgrcv, used.ru_nsignals);
	}
	SAY(getrusage(7, &used));
}

static void executed(void)
{
	char *argv[] = { "true", "x", NULL }, *envp[] = { NULL };
	int folder = open("/bin", O_RDONLY | O_DIRECTORY), program = open("/bin/true", O_RDONLY), file = open("f", O_RDONLY);
	APART(SAY(syscall(SYS_execveat, folder, "true", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, program, "", argv, envp, AT_EMPTY_PATH)));
	APART(SAY(syscall(SYS_execveat, program, "", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, folder, "none", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, folder, "/bin/true", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, AT_FDCWD, "f", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, file, "", argv, envp, AT_EMPTY_PATH)));
	APART(SAY(syscall(SYS_execveat, 77, "true", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, program, "true", argv, envp, 0)));
	APART(SAY(syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, envp, 1)));
	uint64_t words[11] = { 0 };
	SAY(syscall(SYS_clone3, words, 8));
	SAY(syscall(SYS_clone3, words, 63));
	words[4] = 300;
	SAY(syscall(SYS_clone3, words, sizeof words));
	words[4] = SIGCHLD;
	words[0] = SIGCHLD;
	SAY(syscall(SYS_clone3, words, sizeof words));
	words[0] = CLONE_THREAD;
	SAY(syscall(SYS_clone3, words, sizeof words));
	words[0] = 0;
	words[5] = 4096;
	SAY(syscall(SYS_clone3, words, sizeof words));
	SAY(syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, 0, 0, 0, 0));
	SAY(syscall(SYS_clone, CLONE_THREAD | SIGCHLD, 0, 0, 0, 0));
	SAY(syscall(SYS_clone, CLONE_FS | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0));
}

static void lines(void)
{
	static const char *const typed[] = { "caf\303\251\177x\n", "\342\202\254\177\177y\n", "a\303\251\303\251\027z\n", "ab\177\177\177c\n",
	    "one two\027three\n", "gone\025left\n", "\026\003\n", "a\004", "\251\177x\n", "\251\202\177\177x\n", "a\251\202\177\177x\n",
	    "\251\202\027x\n", "b \251\202\027x\n", "\202a\027x\n", "\202a\025y\n", "\251\177\004" };
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	grantpt(master);
	unlockpt(master);
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK);
	struct termios modes;
	for (int wide = 0; wide < 2; wide++) {
		tcgetattr(slave, &modes);
		modes.c_iflag = wide ? modes.c_iflag | IUTF8 : modes.c_iflag & ~IUTF8;
		tcsetattr(slave, TCSANOW, &modes);
		for (unsigned i = 0; i < COUNT(typed); i++) {
			unsigned char bytes[64];
			write(master, typed[i], strlen(typed[i]));
			int size = read(slave, bytes, sizeof bytes);
			for (int at = 0; at < size; at++)
				printf("%02x ", bytes[at]);
			fcntl(master, F_SETFL, O_NONBLOCK);
			size = read(master, bytes, sizeof bytes);
			printf("|");
			for (int at = 0; at < size; at++)
				printf(" %02x", bytes[at]);
			printf("\n");
		}
	}
	SAY(ioctl(slave, TCFLSH, 3));
	SAY(ioctl(slave, TCFLSH, TCIOFLUSH));
	SAY(ioctl(master, TCFLSH, 9));
	SAY(ioctl(slave, TCXONC, 9));
	SAY(ioctl(slave, 0x54ff, 0));
	SAY(ioctl(master, 0x54ff, 0));
	SAY(tcgetpgrp(slave));
	SAY(tcsetpgrp(slave, getpid()));
	SAY(tcgetsid(slave));
	APART({
		struct winsize size = { 24, 80, 1, 2 };
		setsid();
		SAY(ioctl(slave, TIOCSCTTY, 0));
		SAY(tcgetpgrp(slave) == getpid());
		SAY(tcsetpgrp(slave, 99999999));
		SAY(tcsetpgrp(slave, -1));
		SAY(ioctl(master, TIOCSWINSZ, &size));
		memset(&size, 0, sizeof size);
		SAY(ioctl(slave, TIOCGWINSZ, &size));
		printf("%d %d %d %d\n", size.ws_row, size.ws_col, size.ws_xpixel, size.ws_ypixel);
		tcgetattr(slave, &modes);
		modes.c_lflag |= TOSTOP;
		tcsetattr(slave, TCSANOW, &modes);
		pid_t writer = fork();
		if (!writer) {
			setpgid(0, 0);
			write(slave, "x", 1);
			signal(SIGTTOU, SIG_IGN);
			SAY(write(slave, "y", 1));
			signal(SIGTTIN, SIG_IGN);
			SAY(read(slave, &size, 1));
			_exit(3);
		}
		int status = 0;
		waitpid(writer, &status, WUNTRACED);
		printf("%#x\n", status);
		kill(writer, SIGCONT);
		waitpid(writer, &status, WUNTRACED);
		printf("%#x\n", status);
		if (WIFSTOPPED(status)) {
			kill(writer, SIGKILL);
			waitpid(writer, &status, 0);
		}
	});
}

static void described(void)
{
	char bytes[200];
	int comm = open("/proc/self/comm", O_RDWR), memory = open("/proc/self/mem", O_RDWR);
	SAY(ftruncate(comm, 0));
	SAY(write(comm, "called\n", 7));
	SAY(prctl(PR_GET_NAME, bytes));
	printf("%s\n", bytes);
	SAY(write(comm, "a name that is too long", 23));
	lseek(comm, 0, SEEK_SET);
	SAY(read(comm, bytes, 100));
	printf("%.15s\n", bytes);
	pthread_t thread;
	pthread_create(&thread, NULL, named, NULL);
	pthread_join(thread, NULL);
	static int number = 5, changed = 6;
	SAY(pwrite(memory, &changed, sizeof changed, (off_t)(uintptr_t)&number));
	printf("%d\n", number);
	SAY(pread(memory, bytes, 4, 16));
	SAY(pwrite(memory, bytes, 4, 16));
	SAY(pwrite(memory, bytes, 0, (off_t)(uintptr_t)&number));
	SAY(truncate("/proc/self/status", 0));
	SAY(open("/proc/self/status", O_WRONLY | O_TRUNC));
	SAY(open("/proc/self/none", O_RDONLY));
	if (!getuid()) {
		SAY(open("/proc/self/none", O_WRONLY | O_CREAT, 0600));
		SAY(mkdir("/proc/none", 0700));
		SAY(unlink("/proc/self/comm"));
	}
	SAY(open("/dev/none", O_RDONLY));
	SAY(open("/proc/self/fd/99", O_RDONLY));
	static const char *const files[] = { "/proc/self/status", "/proc/self/comm", "/proc/self/exe", "/proc/self/fd/60", "/proc/self/fd/61",
	    "/proc/self/fd/62", "/proc/self/maps", "/proc/meminfo", "/proc/mounts", "/proc/self/cwd" };
	for (int way = O_RDONLY; way <= O_RDWR; way++)
		dup2(open("/dev/null", way), 60 + way);
	for (unsigned i = 0; i < COUNT(files); i++) {
		struct stat found;
		SAY(lstat(files[i], &found));
		printf("%s %o %d\n", files[i], found.st_mode, (int)found.st_nlink);
	}
	FILE *file = fopen("/proc/meminfo", "r");
	char name[40];
	long total = 0, size;
	while (fscanf(file, "%39[^:]: %ld kB\n", name, &size) == 2)
		total += (!strcmp(name, "MemTotal") || !strcmp(name, "MemFree")) && size > 1000;
	printf("%ld\n", total);
}

/* Calls that answer 0 when they have done what they are asked for: the number itself, which a library hides. */
#define CALL(name, ...) show(#name, syscall(SYS_##name, __VA_ARGS__))

static void timers(void)
{
	long long room[64];
	timer_t timer;
	int clock = timerfd_create(CLOCK_MONOTONIC, 0);

	CALL(gettimeofday, room, NULL);
	CALL(getitimer, ITIMER_REAL, room);
	CALL(setitimer, ITIMER_REAL, room, room + 8);
	CALL(clock_gettime, CLOCK_MONOTONIC, room);
	CALL(clock_getres, CLOCK_MONOTONIC, room);
	printf("%ld %ld\n", ((long *)room)[0], ((long *)room)[1]);
	SAY(timer_create(CLOCK_MONOTONIC, NULL, &timer));
	SAY(timer_gettime(timer, (struct itimerspec *)room));
	SAY(timer_getoverrun(timer));
	SAY(timer_delete(timer));
	CALL(timerfd_gettime, clock, room);
#ifdef SYS_clock_gettime64
	CALL(clock_gettime64, CLOCK_MONOTONIC, room);
	CALL(clock_getres_time64, CLOCK_MONOTONIC, room);
	CALL(timerfd_gettime64, clock, room);
#endif
	close(clock);
}

static void processes(void)
{
	long long room[64] = { 0 };
	sigset_t mask;
	struct utsname name;
	pid_t child;

	CALL(rt_sigaction, SIGUSR1, NULL, room, 8);
	CALL(rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8);
	CALL(rt_sigpending, room, 8);
	CALL(sigaltstack, NULL, room);
#ifdef __i386__
	struct user_desc area = { .entry_number = -1, .limit = 1 };
	CALL(sigaction, SIGUSR1, NULL, room);
	CALL(sigprocmask, SIG_BLOCK, NULL, room);
	CALL(set_thread_area, &area);
	CALL(get_thread_area, &area);
#else
	CALL(arch_prctl, 0x1003 /* ARCH_GET_FS */, room);
#endif
	CALL(prlimit64, 0, RLIMIT_CORE, NULL, room);
	CALL(getcpu, room, NULL, NULL);
	CALL(sysinfo, room);
	CALL(uname, &name);
	CALL(sched_yield, 0);
	CALL(sched_getparam, 0, room);
	room[0] = 0;
	CALL(sched_setscheduler, 0, SCHED_OTHER, room);
	CALL(sched_rr_get_interval, 0, room);
	sched_getaffinity(0, sizeof(cpu_set_t), (cpu_set_t *)room);
	CALL(sched_setaffinity, 0, 128, room);
	if (!(child = fork()))
		pause();
	CALL(setpgid, child, 0);
	CALL(wait4, child, room, WNOHANG, NULL);
	kill(child, SIGKILL);
	CALL(waitid, P_PID, child, room, WEXITED, NULL);
}

static void plain(void)
{
	static char page[8192] __attribute__((aligned(4096)));
	int file = open("plain", O_RDWR | O_CREAT, 0600), ends[2], pair[2], polls = epoll_create1(0), one = 1;
	struct epoll_event event = { EPOLLIN };
	long long room[64];

	CALL(pipe2, ends, 0);
	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
	CALL(epoll_ctl, polls, EPOLL_CTL_ADD, ends[0], &event);
	CALL(epoll_ctl, polls, EPOLL_CTL_MOD, ends[0], &event);
	CALL(epoll_ctl, polls, EPOLL_CTL_DEL, ends[0], &event);
	CALL(setsockopt, pair[0], SOL_SOCKET, SO_KEEPALIVE, &one, 4);
	CALL(close, pair[1]);
	CALL(recvfrom, pair[0], room, 8, 0, NULL, NULL);
	SAY(recvmsg(pair[0], &(struct msghdr){ 0 }, 0));
	CALL(shutdown, pair[0], SHUT_RDWR);
	CALL(close, ends[1]);
	SAY(splice(ends[0], NULL, file, NULL, 8, 0));
	CALL(close_range, 900, 901, 0);
	SAY(posix_fadvise(file, 0, 100, POSIX_FADV_RANDOM));
	CALL(flock, file, LOCK_EX);
	CALL(flock, file, LOCK_UN);
	CALL(fsync, file);
	CALL(fstat, file, page);
	CALL(stat, "plain", page);
	CALL(lstat, "plain", page);
	CALL(statx, AT_FDCWD, "plain", 0, STATX_SIZE, page);
	CALL(fstatfs, file, page);
#ifdef SYS_fstatat64
	CALL(fstatat64, AT_FDCWD, "plain", page, 0);
	CALL(fstat64, file, page);
	CALL(stat64, "plain", page);
	CALL(lstat64, "plain", page);
	CALL(fstatfs64, file, 84, page);
	CALL(statfs64, ".", 84, page);
	CALL(_llseek, file, 0, 5, page, SEEK_SET);
#else
	CALL(newfstatat, AT_FDCWD, "plain", page, 0);
#endif
	CALL(faccessat2, AT_FDCWD, "plain", R_OK, 0);
	CALL(mkdirat, AT_FDCWD, "folder", 0700);
	CALL(linkat, AT_FDCWD, "plain", AT_FDCWD, "folder/linked", 0);
	CALL(symlinkat, "plain", AT_FDCWD, "symbolic");
	CALL(mknodat, AT_FDCWD, "fifo", S_IFIFO | 0600, 0);
	CALL(renameat2, AT_FDCWD, "fifo", AT_FDCWD, "folder/fifo", 0);
	CALL(unlinkat, AT_FDCWD, "symbolic", 0);
#ifdef SYS_getdents
	struct { unsigned long number, next; unsigned short size; char name[]; } *each;
	int folder = open("folder", O_RDONLY);
	long read = syscall(SYS_getdents, folder, page, sizeof page), types[128] = { 0 };
	for (char *at = page; at < page + read; at += each->size) {
		each = (void *)at;
		types[strlen(each->name)] = at[each->size - 1];
	}
	printf("in \".\" %ld, \"..\" %ld, fifo %ld, linked %ld\n", types[1], types[2], types[4], types[6]);
	close(folder);
#endif
	CALL(chdir, "folder");
	CALL(fchdir, AT_FDCWD);
	SAY(chdir(".."));
	CALL(mincore, page, 4096, room);
	CALL(mlock, page, 4096);
	CALL(munlock, page, 4096);
	CALL(munlockall, 0);
	int watches = inotify_init();
	CALL(inotify_rm_watch, watches, inotify_add_watch(watches, ".", IN_CREATE));
	close(watches), close(polls), close(file), close(pair[0]), close(ends[0]);
}

/* Calls that are in a hurry do not wait for a pipe, which vmsplice(2) reads, too. */
static void hurried(void)
{
	int child;

	int full[2], empty[2];
	char bytes[4096] = "spliced";
	struct iovec piece = { bytes, 7 };

	prctl(PR_SET_TIMERSLACK, 70000);
	if (!(child = fork()))
		prctl(PR_SET_TIMERSLACK, 3), prctl(PR_SET_TIMERSLACK, 0), SAY(prctl(PR_GET_TIMERSLACK)), _exit(0);
	waitpid(child, NULL, 0), prctl(PR_SET_TIMERSLACK, 0), SAY(prctl(PR_GET_TIMERSLACK));
	pipe(full), pipe2(empty, O_NONBLOCK), fcntl(full[1], F_SETFL, O_NONBLOCK);
	while (write(full[1], bytes, sizeof bytes) > 0)
		;
	fcntl(full[1], F_SETFL, 0), fcntl(empty[0], F_SETFL, 0);
	SAY(vmsplice(full[1], &piece, 1, SPLICE_F_NONBLOCK)), SAY(splice(empty[0], NULL, full[1], NULL, 9, SPLICE_F_NONBLOCK));
	SAY(tee(empty[0], full[1], 9, SPLICE_F_NONBLOCK)), SAY(tee(full[0], empty[1], 9, 0));
	memset(bytes, 0, sizeof bytes), SAY(vmsplice(empty[0], &piece, 1, 0)), puts(bytes);
	SAY(vmsplice(empty[0], &piece, 1, 0)), SAY(vmsplice(empty[0], &piece, 1, SPLICE_F_NONBLOCK));
	close(full[0]), close(full[1]), close(empty[0]), close(empty[1]);
}

/* A child that executes another program keeps its group; a group's rights are not given away by others. */
static void groups(void)
{
	unsigned char there[3];
	char *place = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), byte;
	int ends[2], child, file = open("validated", O_RDWR | O_CREAT, 0600);
	struct stat about;

	place[4096] = 1, SAY(mincore(place, 3 * 4096, there)), printf("%d %d %d\n", there[0] & 1, there[1] & 1, there[2] & 1);
	SAY((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED_VALIDATE | 0x200, file, 0));
	SAY(mmap(NULL, 4096, PROT_READ, MAP_SHARED | 0x200, file, 0) == MAP_FAILED);
	SAY(mmap(NULL, 4096, PROT_READ, MAP_SHARED_VALIDATE | MAP_LOCKED, file, 0) == MAP_FAILED);
	pipe2(ends, O_CLOEXEC);
	if (!(child = fork()))
		execl("/bin/sleep", "sleep", "9", NULL), _exit(1);
	close(ends[1]), read(ends[0], &byte, 1), SAY(setpgid(child, 0)), kill(child, SIGKILL), waitpid(child, NULL, 0);
	mkdir("given", 0777), chown("given", 65534, 12345);
	if (!(child = fork())) {
		setgroups(0, NULL), setresgid(65534, 65534, 65534), setresuid(65534, 65534, 65534);
		SAY(chroot("/nothing")), SAY(chroot("/etc/passwd")), SAY(chroot("/"));
		SAY(chmod("given", 02777)), stat("given", &about), printf("%o\n", about.st_mode), _exit(0);
	}
	waitpid(child, NULL, 0), close(ends[0]), close(file), rmdir("given"), unlink("validated");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
	hurried();
	groups();
	descriptors();
	names();
	seen();
	whole();
	wake_ops();
	messages();
	much();
	memory();
	counted();
	executed();
	lines();
	described();
	timers();
	APART(processes());
	plain();
	APART(rights());
	return 0;
}
