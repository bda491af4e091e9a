/* Random sequences of system calls, the same for the same seed; a line tells what each one returned and left.
 *
 * sequences STEPS SEED [ARENA]: each arena runs in a process and a directory of its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define COUNT(array) (int)(sizeof array / sizeof array[0])
#define ONE_OF(...) ((long[]){ __VA_ARGS__ })[below(COUNT(((long[]){ __VA_ARGS__ })))]

static unsigned long long state;
static int steps;

static unsigned below(unsigned limit)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % limit;
}

/* Tell what a call returned: its error or its value. */
static long tell(long found, const char *form, ...)
{
	int error = errno;
	va_list arguments;

	va_start(arguments, form);
	vprintf(form, arguments);
	va_end(arguments);
	if (found == -1)
		printf(" = %s\n", strerrorname_np(error));
	else
		printf(" = %ld\n", found);
	return found;
}

static unsigned sum(const void *from, long size)
{
	unsigned value = 2166136261u;

	for (long at = 0; at < size; at++)
		value = (value ^ ((const unsigned char *)from)[at]) * 16777619u;
	return value;
}

/* Mappings within a window of 24 pages. */
static void mappings(void)
{
	enum { PAGES = 24 };
	static char line[512];
	char *window = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = open("mapped", O_RDWR | O_CREAT, 0600);

	for (int at = 0; at < 6 * PAGE + 100; at += 4)
		pwrite(file, &at, 4, at);
	for (int step = 0; step < steps; step++) {
		int first = below(PAGES), count = 1 + below(6), other = below(PAGES), grown = 1 + below(7);
		char *at = window + first * PAGE, *there = window + other * PAGE;
		int prot = ONE_OF(0, 1, 3, 3, 5, 2, 7);
		long found;

		if (first + count > PAGES)
			count = PAGES - first;
		switch (below(9)) {
		case 0:
			found = (long)mmap(at, count * PAGE, prot, MAP_FIXED | MAP_ANONYMOUS | ONE_OF(1, 2, 2), -1, 0);
			tell(found == -1 ? -1 : found - (long)window, "mmap %d %d %d", first, count, prot);
			break;
		case 1: {
			int place = below(7), kind = ONE_OF(1, 2, 3);
			found = (long)mmap(at, count * PAGE - below(3), prot, MAP_FIXED | kind, file, place * PAGE);
			tell(found == -1 ? -1 : found - (long)window, "mmap file %d %d %d %d %d", first, count, prot, kind, place);
			break;
		}
		case 2:
			tell(munmap(at, count * PAGE), "munmap %d %d", first, count);
			break;
		case 3:
			tell(mprotect(at, count * PAGE, prot), "mprotect %d %d %d", first, count, prot);
			break;
		case 4: case 5: {
			int flags = ONE_OF(0, MREMAP_MAYMOVE | MREMAP_FIXED, MREMAP_MAYMOVE | MREMAP_FIXED, MREMAP_FIXED);
			if (other + grown > PAGES)
				grown = PAGES - other;
			if (!(flags & MREMAP_FIXED) && first + grown > PAGES)
				grown = PAGES - first;
			/* kernels differ for what lies in several areas */
			mmap(at, count * PAGE, 3, MAP_FIXED | MAP_ANONYMOUS | (grown > count ? MAP_PRIVATE : ONE_OF(1, 2)), -1, 0);
			memset(at, 1 + step, count * PAGE);
			found = (long)mremap(at, count * PAGE, grown * PAGE, flags, there);
			tell(found == -1 ? -1 : found - (long)window, "mremap %d %d to %d %d, %d", first, count, other, grown, flags);
			break;
		}
		case 6: {
			int advice = ONE_OF(MADV_DONTNEED, MADV_NORMAL, MADV_WILLNEED, MADV_DONTFORK, MADV_DOFORK, 99);
			tell(madvise(at, count * PAGE, advice), "madvise %d %d %d", first, count, advice);
			break;
		}
		case 7: {
			struct iovec here = { &step, 4 }, far = { at + ONE_OF(0, 8, PAGE - 4, PAGE - 2), 4 };
			int found = process_vm_writev(getpid(), &here, 1, &far, first < PAGES - 1, 0);
			tell(found, "write %d", first);
			break;
		}
		case 8: {
			unsigned char resident[8];
			tell(mincore(at, count * PAGE, resident), "mincore %d %d", first, count);
			tell(msync(at, count * PAGE, ONE_OF(MS_SYNC, MS_ASYNC, MS_SYNC | MS_ASYNC)), "msync %d %d", first, count);
			break;
		}
		}
		if (below(4))
			continue;
		FILE *maps = fopen("/proc/self/maps", "r");
		while (fgets(line, sizeof line, maps)) {
			unsigned long from, to, offset;
			char rights[5];
			sscanf(line, "%lx-%lx %4s %lx", &from, &to, rights, &offset);
			from = from < (unsigned long)window ? (unsigned long)window : from;
			to = to > (unsigned long)window + PAGES * PAGE ? (unsigned long)window + PAGES * PAGE : to;
			if (from < to)
				for (; from < to; from += PAGE)  /* whether neighbours are one area is not told */
					printf("%s%s", rights, strstr(line, "mapped") ? "f " : " ");
		}
		fclose(maps);
		for (int page = 0; page < PAGES; page++) {
			static char content[PAGE];
			struct iovec here = { content, PAGE }, far = { window + page * PAGE, PAGE };
			long size = process_vm_readv(getpid(), &here, 1, &far, 1, 0);
			printf(" %x", size > 0 ? sum(content, size) : 0);
		}
		putchar('\n');
	}
}

/* Locks of the process and of open files on one file, and those of flock. */
static void locks(void)
{
	int fds[4];

	for (int i = 0; i < COUNT(fds); i++)
		fds[i] = open("locked", O_RDWR | O_CREAT, 0600);
	ftruncate(fds[0], 100);
	for (int step = 0; step < steps; step++) {
		int fd = fds[below(COUNT(fds))], kind = ONE_OF(F_RDLCK, F_WRLCK, F_WRLCK, F_UNLCK, 7);
		struct flock lock = { kind, below(3), (int)below(40) - 10, (int)below(20) - 6, 0 };
		int command = ONE_OF(F_OFD_SETLK, F_OFD_SETLK, F_OFD_GETLK, F_SETLK, F_GETLK);

		lseek(fd, below(30), SEEK_SET);
		if (below(8) == 0) {
			int how = ONE_OF(LOCK_SH, LOCK_EX, LOCK_UN, 0, LOCK_SH | LOCK_EX);
			tell(flock(fd, how | LOCK_NB), "flock %d %d", fd - fds[0], how);
			continue;
		}
		lock.l_pid = below(20) == 0;
		if (command == F_OFD_GETLK && kind == F_UNLCK)  /* kernels differ */
			continue;
		printf("%d:", lock.l_pid);
		long found = fcntl(fd, command, &lock);
		tell(found, "lock %d %d %d", fd - fds[0], command, kind);
		if (!found && (command == F_OFD_GETLK || command == F_GETLK))
			printf("%d %d %ld %ld %d\n", lock.l_type, lock.l_whence, (long)lock.l_start, (long)lock.l_len,
			       lock.l_pid == getpid() ? 1 : lock.l_pid);
	}
}

/* Pipes whose pages are full, so that the room is the same however a kernel keeps what is written. */
static void pipes(void)
{
	static char block[80000];
	int ends[2][2];

	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < 2; i++)
		pipe2(ends[i], O_NONBLOCK);
	for (int step = 0; step < steps; step++) {
		int which = below(2), waiting, size = ONE_OF(1, 100, 4095, 4096, 4097, 8192, 10000, 65536, 0);
		struct pollfd polled[] = { { ends[which][0], POLLIN | POLLOUT }, { ends[which][1], POLLIN | POLLOUT } };

		memset(block, step, size);
		switch (below(7)) {
		case 0: case 1:
			/* what is left over is read, so that each page is full or the only one */
			tell(write(ends[which][1], block, size), "write %d", size);
			ioctl(ends[which][0], FIONREAD, &waiting);
			if (waiting % PAGE)
				tell(read(ends[which][0], block, waiting), "read all");
			break;
		case 2: case 3:
			size = ONE_OF(0, 4096, 8192, 65536, 70000);
			long found = tell(read(ends[which][0], block, size), "read %d", size);
			printf("%x\n", found > 0 ? sum(block, found) : 0);
			break;
		case 4:
			size = ONE_OF(4096, 4097, 8192, 65536, 0, 1 << 20, -1);
			tell(fcntl(ends[which][below(2)], F_SETPIPE_SZ, size), "set size %d", size);
			tell(fcntl(ends[which][0], F_GETPIPE_SZ), "size");
			break;
		case 5:
			size = ONE_OF(4096, 8192, 65536);
			tell(splice(ends[which][0], NULL, ends[!which][1], NULL, size, SPLICE_F_NONBLOCK), "splice %d", size);
			break;
		case 6:
			size = ONE_OF(4096, 8192, 65536);
			tell(tee(ends[which][0], ends[!which][1], size, SPLICE_F_NONBLOCK), "tee %d", size);
			break;
		}
		poll(polled, 2, 0);
		printf("%x %x\n", polled[0].revents, polled[1].revents);
		if (below(50) == 0) {
			int end = below(2);
			close(ends[which][end]);
			poll(polled, 2, 0);
			printf("closed %d: %x\n", end, polled[!end].revents);
			tell(end ? read(ends[which][0], block, 100) : write(ends[which][1], block, 100), "last");
			close(ends[which][!end]);
			pipe2(ends[which], O_NONBLOCK);
		}
	}
}

static void caught(int number, siginfo_t *info, void *context)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("  signal %d, code %d, value %d, mask %lx\n", number, info->si_code,
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0, *(unsigned long *)&mask);
}

static void signals(void)
{
	static char other[65536];
	static const int numbers[] = { SIGHUP, SIGUSR1, SIGCHLD, SIGWINCH, SIGTERM, 34, 35, 64 };

	for (int i = 0; i < COUNT(numbers); i++)
		sigaction(numbers[i], &(struct sigaction){ .sa_sigaction = caught, .sa_flags = SA_SIGINFO }, NULL);
	for (int step = 0; step < steps; step++) {
		int number = numbers[below(COUNT(numbers))], how = below(5);
		sigset_t set, before;

		sigemptyset(&set);
		sigemptyset(&before);
		for (int i = below(4); i; i--)
			sigaddset(&set, numbers[below(COUNT(numbers))]);
		switch (below(8)) {
		case 0: case 1:
			tell(sigprocmask(how, &set, &before), "mask %d %lx", how, *(unsigned long *)&set);
			printf("before %lx\n", *(unsigned long *)&before);
			break;
		case 2:
			tell(kill(getpid(), number), "kill %d", number);
			break;
		case 3:
			tell(sigqueue(getpid(), number, (union sigval){ .sival_int = step }), "queue %d", number);
			break;
		case 4: {
			struct sigaction action = { .sa_sigaction = caught, .sa_mask = set, .sa_flags = SA_SIGINFO |
			    ONE_OF(0, SA_NODEFER, SA_RESTART, SA_ONSTACK, 0, 0, SA_RESETHAND) }, old;
			if (below(4) == 0)
				action.sa_sigaction = (void *)ONE_OF((long)SIG_IGN, (long)SIG_DFL);
			if (action.sa_sigaction == (void *)SIG_DFL || action.sa_flags & SA_RESETHAND)
				number = ONE_OF(SIGCHLD, SIGWINCH);
			tell(sigaction(number, &action, &old), "action %d %x %d", number, action.sa_flags,
			     action.sa_sigaction == (void *)SIG_IGN);
			printf("old %x %d %lx\n", old.sa_flags & ~0x4000000,
			       old.sa_sigaction == caught ? 9 : (int)(long)old.sa_sigaction, *(unsigned long *)&old.sa_mask);
			break;
		}
		case 5:
			sigpending(&before);
			printf("pending %lx\n", *(unsigned long *)&before);
			break;
		case 6: {
			struct timespec none = { 0, 0 };
			siginfo_t info = { 0 };
			tell(sigtimedwait(&set, &info, &none), "wait %lx", *(unsigned long *)&set);
			printf("%d %d\n", info.si_signo, info.si_code);
			break;
		}
		case 7: {
			stack_t stack = { other, ONE_OF(0, SS_DISABLE, 0, 5), ONE_OF(65536, 100, 8192) }, old = { 0 };
			tell(sigaltstack(&stack, &old), "stack %d %d", stack.ss_flags, (int)stack.ss_size);
			printf("old %d %d\n", old.ss_flags, (int)old.ss_size);
			break;
		}
		}
	}
}

/* Names of files and directories. */
static void names(void)
{
	static const char *const all[] = { "a", "b", "c", "d", "a/b", "a/c", "d/a", "d/b", "d/a/b", "a/b/c", "b/.",
	    "d/..", "a/", "d/a/", "c/x", ".", "a/../d", "" };
#define NAME() all[below(COUNT(all))]
	for (int step = 0; step < steps; step++) {
		const char *one = NAME(), *two = NAME();
		struct stat found;

		switch (below(12)) {
		case 0: case 1: tell(mkdir(one, 0777), "mkdir %s", one); break;
		case 2: {
			int flags = ONE_OF(O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY,
			    O_RDONLY | O_NOFOLLOW, O_WRONLY | O_TRUNC, O_PATH, O_RDWR, O_PATH | O_NOFOLLOW,
			    O_RDONLY | O_CREAT);
			int fd = open(one, flags, 0640);
			tell(fd < 0 ? -1 : 0, "open %s %x", one, flags);
			if (fd >= 0)
				tell(write(fd, "text", below(5)), "write"), close(fd);
			break;
		}
		case 3: tell(rmdir(one), "rmdir %s", one); break;
		case 4: tell(unlink(one), "unlink %s", one); break;
		case 5: tell(rename(one, two), "rename %s %s", one, two); break;
		case 6: {
			int flags = ONE_OF(RENAME_NOREPLACE, 3);
			tell(renameat2(AT_FDCWD, one, AT_FDCWD, two, flags), "rename %s %s %d", one, two, flags);
			break;
		}
		case 7: tell(link(one, two), "link %s %s", one, two); break;
		case 8: tell(symlink(one, two), "symlink %s %s", one, two); break;
		case 9: {
			char target[64] = "";
			tell(readlink(one, target, ONE_OF(64, 1, 3)), "readlink %s", one);
			puts(target);
			break;
		}
		case 10:
			tell(truncate(one, below(5000)), "truncate %s", one);
			tell(chmod(one, below(4096) | 0700), "chmod %s", one);
			break;
		case 11:
			tell(linkat(AT_FDCWD, one, AT_FDCWD, two, ONE_OF(0, AT_SYMLINK_FOLLOW, 1)), "linkat %s %s", one, two);
			break;
		}
		if (!lstat(one, &found))
			printf("%s: %o, %d links, size %d\n", one, found.st_mode, (int)found.st_nlink,
			       S_ISDIR(found.st_mode) ? 0 : (int)found.st_size);
		if (!stat(two, &found))
			printf("%s: %o, %d links\n", two, found.st_mode, (int)found.st_nlink);
		if (below(6) == 0) {
			struct dirent **entries;
			int count = scandir(one, &entries, NULL, alphasort);
			printf("%s has %d:", one, count);
			for (int i = 0; i < count; i++)
				printf(" %s %d", entries[i]->d_name, entries[i]->d_type);
			putchar('\n');
		}
	}
}

/* The file descriptors 20 to 30. */
static void descriptors(void)
{
	int ends[2];

	pipe(ends);
	dup2(ends[1], 20);
	dup2(open("one", O_RDWR | O_CREAT | O_APPEND, 0600), 21);
	dup2(open(".", O_RDONLY), 22);
	for (int step = 0; step < steps; step++) {
		int one = 20 + below(11), two = 20 + below(11), value = ONE_OF(0, 1, 2, O_NONBLOCK, O_APPEND, O_CLOEXEC, -1);

		switch (below(9)) {
		case 0: tell(dup2(one, two), "dup2 %d %d", one, two); break;
		case 1: tell(dup3(one, two, value), "dup3 %d %d %d", one, two, value); break;
		case 2: tell(fcntl(one, F_DUPFD, two), "F_DUPFD %d %d", one, two); break;
		case 3: tell(fcntl(one, F_DUPFD_CLOEXEC, two), "F_DUPFD_CLOEXEC %d %d", one, two); break;
		case 4: tell(fcntl(one, F_SETFD, value), "F_SETFD %d %d", one, value); break;
		case 5:
			if (one != 20 && value != -1)
				tell(fcntl(one, F_SETFL, value), "F_SETFL %d %d", one, value);
			break;
		case 6: tell(close(one), "close %d", one); break;
		case 7: {
			int flags = ONE_OF(0, 4, 2, 6, 1);
			tell(close_range(one, two, flags), "close_range %d %d %d", one, two, flags);
			break;
		}
		case 8: {
			int end = below(30), start = ONE_OF(F_SETSIG, F_SETLEASE, F_SETOWN, F_NOTIFY, 9999);
			if (start == F_SETSIG)
				tell(fcntl(one, start, ONE_OF(0, 10, 65, -1)), "F_SETSIG %d", one);
			else if (start == F_SETOWN)
				tell(fcntl(one, start, end ? 0 : getpid()), "F_SETOWN %d", one);
			else if (start == 9999)
				tell(fcntl(one, start, 0), "fcntl %d", one);
			tell(fcntl(one, F_GETSIG), "F_GETSIG %d", one);
			break;
		}
		}
		for (int fd = 20; fd < 32; fd++)
			printf("%d:%x ", fcntl(fd, F_GETFD), fd == 20 ? 0 : fcntl(fd, F_GETFL) & ~0100000);
		putchar('\n');
	}
}

/* What two files hold, and where they stand. */
static void contents(void)
{
	static char block[20000], again[40000];
	int fds[3] = { open("one", O_RDWR | O_CREAT, 0600), open("two", O_RDWR | O_CREAT, 0600),
	    open("one", O_RDWR | O_APPEND) };

	for (int step = 0; step < steps; step++) {
		int which = below(3), fd = fds[which], other = fds[below(3)];
		int size = ONE_OF(0, 1, 7, 4095, 4096, 4097, 10000), at = ONE_OF(0, 1, 4090, 4096, 9000, 16384, -1);
		long found;

		memset(block, step, sizeof block);
		printf("%d: ", which);
		switch (below(13)) {
		case 0: tell(write(fd, block, size), "write %d", size); break;
		case 1: tell(pwrite(fd, block, size, at), "pwrite %d %d", size, at); break;
		case 2:
			found = tell(read(fd, block, size), "read %d", size);
			printf("%x\n", found > 0 ? sum(block, found) : 0);
			break;
		case 3:
			found = tell(pread(fd, block, size, at), "pread %d %d", size, at);
			printf("%x\n", found > 0 ? sum(block, found) : 0);
			break;
		case 4: {
			int whence = ONE_OF(SEEK_SET, SEEK_CUR, SEEK_END, 9);
			tell(lseek(fd, at, whence), "lseek %d %d", at, whence);
			break;
		}
		case 5: tell(ftruncate(fd, at), "ftruncate %d", at); break;
		case 6: {
			struct iovec parts[] = { { block, size }, { block + 5000, 3 }, { block + 6000, 0 }, { block + 7000, at } };
			int count = ONE_OF(0, 1, 2, 3, 4, -1);
			if (below(2))
				tell(writev(fd, parts, count), "writev %d %d", count, size);
			else {
				found = tell(readv(fd, parts, count), "readv %d %d", count, size);
				printf("%x\n", sum(block, sizeof block));
			}
			break;
		}
		case 7: {
			off_t from = at;
			if ((which == 1) == (other == fds[1]))
				break;
			tell(sendfile(fd, other, below(2) ? &from : NULL, size), "sendfile %d", size);
			printf("%d\n", (int)from);
			break;
		}
		case 8: {
			loff_t from = at, to = ONE_OF(0, 100, 5000);
			if (other == fd || (which != 1 && other != fds[1]) || which == 2)
				break;
			tell(copy_file_range(other, below(2) ? &from : NULL, fd, below(2) ? &to : NULL, size, below(20) == 0),
			     "copy %d %d %d", size, at, (int)to);
			printf("%d %d\n", (int)from, (int)to);
			break;
		}
		case 9: {
			int mode = ONE_OF(0, 1, 2, 3);
			tell(fallocate(fd, mode, at, size), "fallocate %d %d %d", mode, at, size);
			break;
		}
		case 10: {
			struct iovec parts[] = { { block, 100 }, { block + 5000, size } };
			tell(pwritev2(fd, parts, 2, at, 0), "pwritev2 %d %d", at, size);
			break;
		}
		case 11:
			tell(posix_fadvise(fd, at, size, below(7)), "fadvise");
			tell(readahead(fd, at < 0 ? 0 : at, size), "readahead");
			break;
		case 12:
			tell(fcntl(fds[1], F_SETFL, below(2) ? O_APPEND : 0), "F_SETFL");
			break;
		}
		found = pread(fd, again, sizeof again, 0);
		printf("%d %ld %x\n", (int)lseek(fd, 0, SEEK_CUR), found, found > 0 ? sum(again, found) : 0);
	}
}

/* Futexes that never wait: their words, codes and errors. */
static void futexes(void)
{
	static unsigned words[4];
	struct timespec past = { 0, 0 }, soon = { 0, 1000 }, wrong = { 0, 1000000000 }, negative = { -1, 0 };

	for (int step = 0; step < steps; step++) {
		unsigned *one = words + below(3), *two = words + below(3);
		unsigned code = below(16) << 28 | below(8) << 24 | below(4) << 22 | below(4) << 12 | below(2) << 11 | below(4);
		unsigned value = ONE_OF(0, 1, 2, 0x7fffffff, -1);
		struct timespec *limit = (void *)ONE_OF((long)&past, (long)&soon, (long)&wrong, (long)&negative, (long)&past);
		int private = ONE_OF(0, FUTEX_PRIVATE_FLAG);

		if (below(3) == 0)
			*one = ONE_OF(0, 1, 2, 0x7fffffff, 0x80000000, 0x40000000, -1, 5);
		switch (below(10)) {
		case 0: case 1: case 2:
			tell(syscall(SYS_futex, one, FUTEX_WAKE_OP | private, value, 1, two, code), "wake op %x on %x", code, *two);
			break;
		case 3:
			tell(syscall(SYS_futex, one, FUTEX_WAIT | private, value, limit, 0, 0), "wait %d", value);
			break;
		case 4: {
			int mask = ONE_OF(0, 1, -1);
			tell(syscall(SYS_futex, one, FUTEX_WAIT_BITSET | private | ONE_OF(0, FUTEX_CLOCK_REALTIME), value, limit, 0,
			    mask), "wait bitset %d %d", value, mask);
			tell(syscall(SYS_futex, one, FUTEX_WAKE_BITSET | private, value, 0, 0, mask), "wake bitset %d", mask);
			break;
		}
		case 5:
			tell(syscall(SYS_futex, one, FUTEX_CMP_REQUEUE | private, 1, ONE_OF(0, 1, -1), two, value), "requeue");
			break;
		case 6:
			*one = ONE_OF(0, 0x80000000, 0, 0x40000000);
			tell(syscall(SYS_futex, one, ONE_OF(FUTEX_TRYLOCK_PI, FUTEX_LOCK_PI, 13) | private, 0, 0, 0, 0), "try lock of %x", *one >> 30);
			printf("%x %d\n", *one >> 30, (*one & 0x3fffffff) == getpid());
			tell(syscall(SYS_futex, one, FUTEX_LOCK_PI | private, 0, 0, 0, 0), "lock again");
			tell(syscall(SYS_futex, one, FUTEX_UNLOCK_PI | private, 0, 0, 0, 0), "unlock");
			*one = 0;
			break;
		case 7: {
			int odd = 1 + below(3);
			tell(syscall(SYS_futex, (char *)one + odd, ONE_OF(FUTEX_WAIT, FUTEX_WAKE, FUTEX_LOCK_PI, FUTEX_UNLOCK_PI), 0,
			    &past, 0, 0) ? -1 : 0, "odd %d", odd);
			break;
		}
		case 8:
			tell(syscall(SYS_futex, one, ONE_OF(2, 14, 99, FUTEX_WAKE | FUTEX_CLOCK_REALTIME), 0, 0, two, 0), "other");
			break;
		case 9:
			tell(syscall(SYS_futex, one, FUTEX_WAKE, value, 0, 0, 0), "wake");
			break;
		}
		printf("%x %x %x\n", words[0], words[1], words[2]);
	}
}

/* Semaphores and messages, without waiting. */
static void queues(void)
{
	int set = semget(IPC_PRIVATE, 4, 0600), queue = msgget(IPC_PRIVATE, 0600);
	struct { long type; char text[9000]; } message;
	struct msqid_ds about;

	for (int step = 0; step < steps; step++) {
		int size = ONE_OF(0, 1, 10, 8191, 8192, 8193, 3000), type = ONE_OF(1, 2, 3, 7, 0, -1);
		long found;

		switch (below(8)) {
		case 0: {
			struct sembuf changes[3];
			int count = below(4);
			for (int i = 0; i < 3; i++)
				changes[i] = (struct sembuf){ below(below(5) ? 4 : 6), ONE_OF(-1, 1, 0, 2, -3, 32767, -32768),
				    IPC_NOWAIT | (below(6) == 0 ? SEM_UNDO : 0) };
			tell(semop(set, changes, count), "semop %d", count);
			break;
		}
		case 1: {
			int at = ONE_OF(0, 1, 3, 4, -1), value = ONE_OF(0, 1, 32767, 32768, -1);
			tell(semctl(set, at, SETVAL, value), "SETVAL %d %d", at, value);
			break;
		}
		case 2: {
			int at = ONE_OF(0, 3, 4, -1), command = ONE_OF(GETVAL, GETNCNT, GETZCNT, 99);
			tell(semctl(set, at, command, 0), "semctl %d %d", at, command);
			tell(semctl(set, at, GETPID, 0) > 0, "GETPID %d", at);
			break;
		}
		case 3: case 4:
			message.type = type;
			memset(message.text, step, sizeof message.text);
			tell(msgsnd(queue, &message, size, IPC_NOWAIT), "msgsnd %d of %d", size, type);
			break;
		case 5: case 6: {
			int flags = ONE_OF(0, MSG_NOERROR, MSG_EXCEPT, MSG_NOERROR | MSG_EXCEPT);
			type = ONE_OF(0, 1, 2, 3, 7, -1, -2, -5);
			found = tell(msgrcv(queue, &message, size, type, flags | IPC_NOWAIT), "msgrcv %d of %d, %x", size, type, flags);
			printf("%ld %x\n", message.type, found > 0 ? sum(message.text, found) : 0);
			break;
		}
		case 7:
			msgctl(queue, IPC_STAT, &about);
			about.msg_qbytes = ONE_OF(16384, 8192, 100, 20);
			tell(msgctl(queue, IPC_SET, &about), "limit %ld", (long)about.msg_qbytes);
			break;
		}
		msgctl(queue, IPC_STAT, &about);
		printf("%d messages of %ld bytes;", (int)about.msg_qnum, (long)about.__msg_cbytes);
		for (int i = 0; i < 4; i++)
			printf(" %d", semctl(set, i, GETVAL));
		putchar('\n');
	}
	msgctl(queue, IPC_RMID, NULL);
	semctl(set, 0, IPC_RMID);
}

/* What epoll, poll and select tell of event counters, pipes and sockets. */
static void events(void)
{
	int pool = epoll_create1(0), pair[2], ends[2], counters[2], fds[7];

	signal(SIGPIPE, SIG_IGN);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
	pipe2(ends, O_NONBLOCK);
	counters[0] = eventfd(0, EFD_NONBLOCK), counters[1] = eventfd(3, EFD_NONBLOCK | EFD_SEMAPHORE);
	memcpy(fds, (int[]){ pair[0], pair[1], ends[0], ends[1], counters[0], counters[1],
	    open("file", O_CREAT | O_RDWR, 0600) }, sizeof fds);
	for (int step = 0; step < steps; step++) {
		int which = below(COUNT(fds)), fd = fds[which];
		unsigned long long value = below(3) == 0 ? ~0ULL - below(4) : below(5);
		struct epoll_event event = { ONE_OF(EPOLLIN, EPOLLOUT, EPOLLIN | EPOLLOUT,
		    EPOLLIN | EPOLLONESHOT, EPOLLRDHUP | EPOLLIN, 0, EPOLLPRI, EPOLLIN | EPOLLEXCLUSIVE), { .u32 = which } }, got[9];
		char buffer[64];

		switch (below(8)) {
		case 0: case 1: {
			int how = ONE_OF(EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL, 9);
			tell(epoll_ctl(pool, how, fd, &event), "epoll_ctl %d %d %x", how, which, event.events);
			break;
		}
		case 2: case 3:
			tell(write(fd, &value, which < 4 ? below(9) : ONE_OF(8, 8, 8, 7)), "write %d %lld", which, value);
			break;
		case 4: case 5:
			memset(buffer, 0, sizeof buffer);
			tell(read(fd, buffer, ONE_OF(8, 8, 1, 16, 7, 0)), "read %d", which);
			printf("%x\n", sum(buffer, sizeof buffer));
			break;
		case 6:
			if (which < 2 && below(4) == 0) {
				int how = below(4);
				tell(shutdown(fd, how), "shutdown %d %d", which, how);
			}
			break;
		case 7: {
			fd_set in, out, odd;
			struct timeval none = { 0, 0 };
			int limit = 1 + fds[below(COUNT(fds))];
			FD_ZERO(&in); FD_ZERO(&out); FD_ZERO(&odd);
			for (int i = 0; i < COUNT(fds); i++) {
				if (below(2)) FD_SET(fds[i], &in);
				if (below(2)) FD_SET(fds[i], &out);
				if (below(2)) FD_SET(fds[i], &odd);
			}
			tell(select(limit, &in, &out, &odd, &none), "select");
			for (int i = 0; i < COUNT(fds) && fds[i] < limit; i++)
				printf("%d%d%d ", !!FD_ISSET(fds[i], &in), !!FD_ISSET(fds[i], &out), !!FD_ISSET(fds[i], &odd));
			putchar('\n');
			break;
		}
		}
		int most = ONE_OF(9, 9, 1, 2, 0), found = epoll_wait(pool, got, most, 0);
		unsigned told[COUNT(fds)] = { 0 };
		tell(found, "epoll_wait %d", most);
		if (most == 9)
			for (int i = 0; i < found; i++)
				told[got[i].data.u32] = got[i].events;
		for (int i = 0; i < COUNT(fds); i++) {
			struct pollfd polled = { fds[i], ONE_OF(POLLIN | POLLOUT, POLLIN, POLLRDHUP | POLLIN, 0, POLLPRI) };
			found = poll(&polled, 1, 0);
			printf("%x/%x ", told[i], polled.revents);
		}
		putchar('\n');
	}
}

static const struct { const char *name; void (*run)(void); } arenas[] = {
	{ "mappings", mappings }, { "locks", locks }, { "pipes", pipes }, { "signals", signals }, { "names", names },
	{ "descriptors", descriptors }, { "contents", contents }, { "futexes", futexes }, { "queues", queues },
	{ "events", events },
};

int main(int argc, char **argv)
{
	static char output[1 << 18];
	int status;

	umask(022);
	for (int i = 0; i < COUNT(arenas); i++) {
		if (argc > 3 && strcmp(argv[3], arenas[i].name))
			continue;
		if (!fork()) {
			mkdir(arenas[i].name, 0700);
			chdir(arenas[i].name);
			setvbuf(stdout, output, _IOFBF, sizeof output);
			printf("-- %s\n", arenas[i].name);
			steps = atoi(argv[1]);
			state = strtoull(argv[2], NULL, 10) * 1000 + i;
			arenas[i].run();
			fflush(stdout);
			_exit(0);
		}
		wait(&status);
		if (status)
			printf("%s ended with %x\n", arenas[i].name, status), fflush(stdout);
	}
	return 0;
}
