/* Random sequences of system calls, the same for the same seed; a line tells what each one returned and left.
 *
 * sequences STEPS SEED [ARENA]: each arena runs in a process and a directory of its own. */
#include "sequences.h"
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static unsigned long long state;
int steps;

unsigned below(unsigned limit)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % limit;
}

/* Tell what a call returned: its error or its value. */
long tell(long found, const char *form, ...)
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

unsigned sum(const void *from, long size)
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
	static const int numbers[] = { SIGHUP, SIGUSR1, SIGCHLD, SIGWINCH, SIGTERM, 35, 36, 64 };

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
			struct signalfd_siginfo told[3];
			int fd = signalfd(-1, &set, SFD_NONBLOCK);
			long size = below(3) ? -1 : read(fd, told, ONE_OF(sizeof told, sizeof told[0], 127));
			for (int i = 0; i < size / (int)sizeof told[0]; i++) {
				printf("  %u %d\n", told[i].ssi_signo, told[i].ssi_pid == getpid());
				told[i].ssi_pid = told[i].ssi_uid = 0;
				printf("  %x\n", sum(told + i, sizeof told[0]));
			}
			close(fd);
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
	int watcher = inotify_init1(IN_NONBLOCK);

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
			int flags = ONE_OF(RENAME_NOREPLACE, RENAME_EXCHANGE, 3);
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
		if (below(8) == 0) {
			unsigned mask = ONE_OF(IN_ALL_EVENTS, IN_ALL_EVENTS, IN_CREATE | IN_DELETE | IN_MOVE, IN_MODIFY | IN_ATTRIB,
			    IN_DELETE_SELF | IN_MOVE_SELF, IN_ALL_EVENTS | IN_ONESHOT, IN_CREATE | IN_MASK_ADD, IN_OPEN | IN_ONLYDIR,
			    IN_ATTRIB | IN_DONT_FOLLOW, IN_CLOSE | IN_EXCL_UNLINK);
			tell(below(9) ? inotify_add_watch(watcher, one, mask) : inotify_rm_watch(watcher, 1 + below(5)), "watch %s %x", one, mask);
		}
		char told[4096] __attribute__((aligned(8)));
		long size = read(watcher, told, sizeof told);
		for (long at = 0; at < size; ) {
			struct inotify_event *event = (void *)(told + at);
			printf("  event of %d: %x %d \"%s\" %d\n", event->wd, event->mask, event->cookie != 0, event->len ? event->name : "",
			       event->len);
			at += sizeof *event + event->len;
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

static pthread_mutex_t *held;

static void *take(void *order)
{
	pthread_mutex_lock(held);
	if (order)
		return NULL;  /* it ends with the lock */
	usleep(2000);
	pthread_mutex_unlock(held);
	return held;
}

/* Locks whose owner ends, as a thread or as a process, and locks that several wait for. */
static void owners(void)
{
	pthread_mutexattr_t kind;
	pthread_t threads[4];
	void *result;

	for (int i = 0; i < 6; i++) {
		static long list[3][3];
		int status;
		fflush(stdout);
		if (!fork()) {
			long head = (long[]){ 8, (long)list + 1, (long)list, (long)list, -4096, (long)list }[i];
			list[0][0] = (long[]){ 8, 0, 8, (long)list[1], 0, (long)list[1] + 1 }[i];
			list[0][1] = (long[]){ 0, 0, 0, -4096, 0, (long)list }[i];
			list[1][0] = (long)list;
			syscall(SYS_set_robust_list, head, sizeof list[0]);
			syscall(SYS_set_tid_address, (long[]){ 8, 1, (long)list + 2, -4096, 0, (long)list[2] }[i]);
			_exit(i);
		}
		wait(&status);
		printf("ended with %x\n", status);
	}
	held = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int robust = 0; robust < 2; robust++)
		for (int inherits = 0; inherits < 2; inherits++)
			for (int round = 0; round < 2; round++) {
				pthread_mutexattr_init(&kind);
				pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
				pthread_mutexattr_setrobust(&kind, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
				pthread_mutexattr_setprotocol(&kind, inherits ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
				pthread_mutex_init(held, &kind);
				if (robust && !inherits) {
					if (round) {
						if (!fork())
							_exit(take(held) != NULL);
						wait(NULL);
					} else {
						pthread_create(threads, NULL, take, held);
						pthread_join(threads[0], &result);
					}
					tell(pthread_mutex_lock(held), "lock of who ended");
					tell(pthread_mutex_consistent(held), "consistent");
					tell(pthread_mutex_unlock(held), "unlock");
				}
				for (int i = 0; i < COUNT(threads); i++)
					pthread_create(threads + i, NULL, take, NULL);
				for (int i = 0; i < COUNT(threads); i++) {
					pthread_join(threads[i], &result);
					tell(result != NULL, "%d %d: thread %d", robust, inherits, i);
				}
				tell(*(int *)held & 0x3fffffff, "owner");
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

/* What a debugger asks of a child that has stopped. */
static void debugged(void)
{
	enum { WORD = sizeof(long), REGISTERS = WORD == 8 ? 27 : 17 };
	static long data[512];
	long size = WORD == 8 ? 912 : 284;
	int status;
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		static const unsigned char odd[][10] = { { 1 }, { 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x7f }, { 1, 2, 3, 4, 5, 6, 7, 0x88, 9, 0x40 } };
		__asm__ volatile ("fninit; fld1; fldz; fldpi; fldt %0; fldt %1; fldt %2" : : "m"(odd[0]), "m"(odd[1]), "m"(odd[2]));
		raise(SIGSTOP);
		for (;;)
			syscall(SYS_getppid, 11, 22, 33);
	}
	waitpid(child, &status, 0);
	for (int step = 0; step < steps; step++) {
		long at = ONE_OF(0, WORD, 3 * WORD, (REGISTERS - 1) * WORD, REGISTERS * WORD, 4, size - 8 * WORD, size - WORD, size, -WORD,
		    size - 9 * WORD, size - 1, 1 << 20), found = 0, value = ONE_OF(0, 1, -1, 0x1234567890ULL);
		struct iovec place = { data, ONE_OF(0, 8, 12, 64, 216, 512, 576, 2696, 4096) };

		switch (below(14)) {
		case 0: case 1:
			if (syscall(SYS_ptrace, PTRACE_PEEKUSER, child, at, &found) == -1)
				found = -1;
			/* which registers are the same natively: those of the call's arguments, segments and the debug registers */
			tell(found == -1 ? -1 : at >= size - 8 * WORD || at == 4 ? found : 0, "PEEKUSER %ld", at);
			break;
		case 2:
			tell(ptrace(PTRACE_POKEUSER, child, ONE_OF(0, WORD == 8 ? WORD : 0, REGISTERS * WORD, 4, 1,
			    size), value), "POKEUSER %lx", value);
			tell(syscall(SYS_ptrace, PTRACE_PEEKUSER, child, 0, &found), "PEEKUSER");
			printf("%lx\n", found == value ? found : 0);
			break;
		case 3:
			tell(ptrace(PTRACE_POKEDATA, child, data + 100 + below(3), value), "POKEDATA");
			errno = 0;
			tell(syscall(SYS_ptrace, PTRACE_PEEKDATA, child, (char *)(data + 100) + below(16), &found), "PEEKDATA");
			printf("%lx\n", found);
			break;
		case 4:
			tell(syscall(SYS_ptrace, PTRACE_PEEKDATA, child, ONE_OF(0, -1, 8, -4096), &found), "PEEKDATA nowhere");
			tell(syscall(SYS_ptrace, PTRACE_POKEDATA, child, ONE_OF(0, -1, 8, -4096), 1), "POKEDATA nowhere");
			break;
		case 5: {
			int note = ONE_OF(1, 2, 0x46e62b7f, 7);
			tell(ptrace(PTRACE_GETREGSET, child, note, &place), "GETREGSET %x", note);
			printf("%d\n", (int)place.iov_len);
			if (note == 2 && place.iov_len >= 216 && WORD == 8)  /* control, status, tags, numbers */
				printf("%x %x\n", sum(data, 5), sum(data + 4, 128));
			if (note == 2 && place.iov_len == 108)
				printf("%x %x\n", sum(data, 12), sum((char *)data + 28, 80));
			break;
		}
		case 6:
			place.iov_len = WORD == 8 ? 216 : 68;
			tell(ptrace(PTRACE_GETREGSET, child, 1, &place), "GETREGSET");
			place.iov_len = ONE_OF(8, 64, place.iov_len, 0);
			data[0] = value;
			tell(ptrace(PTRACE_SETREGSET, child, 1, &place), "SETREGSET %d", (int)place.iov_len);
			tell(syscall(SYS_ptrace, PTRACE_PEEKUSER, child, 0, &found), "PEEKUSER");
			printf("%d\n", found == value);
			break;
		case 7: {
			unsigned long long mask = ONE_OF(0, 1 << 10, -1);
			int length = ONE_OF(8, 4, 16, 0);
			tell(ptrace(PTRACE_SETSIGMASK, child, length, &mask), "SETSIGMASK %d", length);
			mask = 77;
			tell(ptrace(PTRACE_GETSIGMASK, child, ONE_OF(8, 8, 7, 9), &mask), "GETSIGMASK");
			printf("%llx\n", mask);
			break;
		}
		case 8: {
			long options = ONE_OF(0, PTRACE_O_TRACESYSGOOD, PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL, 1 << 10, -1, 1 << 22);
			tell(ptrace(PTRACE_SETOPTIONS, child, 0, options), "SETOPTIONS %lx", options);
			break;
		}
		case 9: {
			unsigned char info[128] = { 0 };
			int length = ONE_OF(128, 24, 8, 0, 80, 60);
			tell(ptrace(0x420e, child, length, info), "call info of %d", length);
			printf("%d %x\n", info[0], length > 8 && info[0] ? *(unsigned *)(info + 4) : 0);
			break;
		}
		case 10: {
			siginfo_t info = { .si_signo = -1 };
			tell(ptrace(PTRACE_GETSIGINFO, child, 0, &info), "GETSIGINFO");
			printf("%d\n", info.si_signo);
			tell(ptrace(PTRACE_GETEVENTMSG, child, 0, &found), "GETEVENTMSG");
			break;
		}
		case 11: {
			int request = ONE_OF(PTRACE_LISTEN, PTRACE_INTERRUPT, 99, PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_GETSIGINFO);
			tell(ptrace(request, child, 0, 0), "request %x", request);
			tell(ptrace(request, getppid() ^ 0x3ff000, 0, 0), "request %x of none", request);
			break;
		}
		case 12: case 13: {
			int how = ONE_OF(PTRACE_SYSCALL, PTRACE_SINGLESTEP, PTRACE_SYSCALL), signal = ONE_OF(0, 0, 0, 65, -1, SIGSTOP);
			if (tell(ptrace(how, child, 0, signal), "go on %d with %d", how, signal) != -1) {
				waitpid(child, &status, 0);
				printf("%x\n", status);
			}
			break;
		}
		}
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("%x\n", status);
}

/* Timers of all kinds, which are set for long: what is left is told in whole seconds. */
static void timers(void)
{
	int descriptors[] = { timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK) };
	int known[6] = { -1, -1, -1, -1, -1, -1 };
#define LEFT(spec) (int)((spec).it_value.tv_sec + ((spec).it_value.tv_nsec > 0)), (int)(spec).it_interval.tv_sec, \
	(int)(spec).it_interval.tv_nsec

	for (int step = 0; step < steps; step++) {
		struct itimerspec spec = { { ONE_OF(0, 3, 1, -1, 50), ONE_OF(0, 5, 999999999, 1000000000, -1) },
		    { ONE_OF(0, 100, 2000, -1, 7), ONE_OF(0, 0, 999999999, 1000000000, -1) } }, old = { { 9, 9 }, { 9, 9 } };
		if (!spec.it_value.tv_sec && spec.it_value.tv_nsec == 999999999)
			spec.it_value.tv_nsec = 0;  /* none is to be due before the end */
		int clock = ONE_OF(0, 1, 2, 3, 7, 0, 1, 4, 5, 6, 11, 12, 15, -1, -6, -2, 99), slot = below(6);

		switch (below(10)) {
		case 0: {
			struct itimerval wanted = { { spec.it_interval.tv_sec, ONE_OF(0, 5, 999999, 1000000, -1) },
			    { spec.it_value.tv_sec, spec.it_value.tv_sec ? ONE_OF(0, 0, 999999, 1000000, -1) : 0 } }, before = { { 9, 9 }, { 9, 9 } };
			int which = ONE_OF(0, 1, 2, 0, 3, -1), seconds;
			tell(setitimer(which, &wanted, &before), "setitimer %d", which);
			/* a kernel adds a tick to times on CPUs */
			seconds = which ? before.it_value.tv_sec > 0 : (int)before.it_value.tv_sec + (before.it_value.tv_usec > 0);
			printf("%d %d\n", seconds, (int)before.it_interval.tv_sec);
			tell(getitimer(which, &before), "getitimer");
			seconds = which ? before.it_value.tv_sec > 0 : (int)before.it_value.tv_sec + (before.it_value.tv_usec > 0);
			printf("%d %d %d\n", seconds, (int)before.it_interval.tv_sec, (int)before.it_interval.tv_usec);
			break;
		}
		case 1: {
			int seconds = ONE_OF(0, 100, 5000, 60);
			printf("alarm %d: %d\n", seconds, alarm(seconds));
			break;
		}
		case 2: case 3: {
			struct sigevent event = { .sigev_signo = ONE_OF(SIGUSR1, 0, 64, 65, -1, SIGHUP),
			    .sigev_notify = ONE_OF(SIGEV_SIGNAL, SIGEV_NONE, 2, 4, 3, 99, 5) };
			event.sigev_notify_thread_id = ONE_OF(getpid(), getppid(), 0, -1);
			timer_t made = 0;
			int number = -1;
			if (syscall(SYS_timer_create, clock, below(3) ? &event : NULL, &number))
				number = -1;
			tell(number < 0 ? -1 : 0, "timer_create %d %d %d", clock,
			     event.sigev_notify, event.sigev_signo);
			if (number >= 0) {
				if (known[slot] >= 0)
					tell(syscall(SYS_timer_delete, known[slot]), "timer_delete");
				known[slot] = number;
			}
			break;
		}
		case 4: case 5: {
			int flags = ONE_OF(0, 0, TIMER_ABSTIME);
			if (flags && spec.it_value.tv_sec > 0)
				spec.it_value.tv_sec += 4000000000u / 2;
			tell(syscall(SYS_timer_settime, known[slot], flags, &spec, &old), "timer_settime %d", flags);
			printf("%d %d %d\n", LEFT(old));
			if (flags)
				tell(syscall(SYS_timer_settime, known[slot], 0, &(struct itimerspec){ 0 }, NULL), "disarm");
			break;
		}
		case 6:
			tell(syscall(SYS_timer_gettime, known[slot], &old), "timer_gettime");
			printf("%d %d %d\n", LEFT(old));
			tell(syscall(SYS_timer_getoverrun, known[slot]), "timer_getoverrun");
			break;
		case 7: {
			int flags = ONE_OF(0, 0, TFD_TIMER_ABSTIME, 2, 8), which = below(2);
			unsigned long long count;
			if (flags & TFD_TIMER_ABSTIME && spec.it_value.tv_sec > 0)
				spec.it_value.tv_sec += 4000000000u / 2;
			tell(timerfd_settime(descriptors[which], flags, &spec, &old), "timerfd_settime %d", flags);
			printf("%d %d %d\n", LEFT(old));
			if (flags & TFD_TIMER_ABSTIME)
				tell(timerfd_settime(descriptors[which], 0, &(struct itimerspec){ 0 }, NULL), "disarm");
			tell(timerfd_gettime(descriptors[which], &old), "timerfd_gettime");
			printf("%d %d %d\n", LEFT(old));
			tell(read(descriptors[which], &count, ONE_OF(8, 7, 9)), "read");
			break;
		}
		case 8: {
			struct timespec wanted = { ONE_OF(0, 0, -1), ONE_OF(0, 1000, 1000000000, -1) }, left = { 9, 9 };
			int flags = ONE_OF(0, TIMER_ABSTIME, 2);
			if (clock == 2 || clock == 3 || clock == -2 || clock == -6)
				clock = 1;  /* those of times on CPUs stand still in a sleep */
			tell(syscall(SYS_clock_nanosleep, clock, flags, &wanted, &left), "clock_nanosleep %d %d %d", clock, flags,
			     (int)wanted.tv_nsec);
			break;
		}
		case 9: {
			struct timespec resolution, now = { 0 };
			tell(clock_getres(clock, &resolution), "clock_getres %d", clock);
			tell(clock_gettime(clock, &now), "clock_gettime");
			tell(timerfd_create(clock, ONE_OF(0, 1, 4)) >= 0 ? 0 : -1, "timerfd_create %d", clock);
			for (int fd = 8; fd < 20; fd++)
				close(fd);
			break;
		}
		}
	}
}

/* Policies and priorities of this process, and what no process may have. */
static void scheduling(void)
{
	for (int step = 0; step < steps; step++) {
		int policy = ONE_OF(0, 1, 2, 3, 5, 4, -1, 0, 3), tid = ONE_OF(0, 0, 0, getpid(), -1, 0x3ffff0);
		struct sched_param wanted = { ONE_OF(0, 0, 1, 50, 99, 100, -1) };
		struct timespec slice;

		switch (below(7)) {
		case 0: case 1: tell(syscall(SYS_sched_setscheduler, tid, policy, &wanted), "setscheduler %d %d", policy,
		    wanted.sched_priority); break;
		case 2: tell(syscall(SYS_sched_setparam, tid, &wanted), "setparam %d", wanted.sched_priority); break;
		case 3:
			tell(sched_get_priority_max(policy), "max %d", policy);
			tell(sched_get_priority_min(policy), "min %d", policy);
			break;
		case 4: tell(sched_rr_get_interval(tid, &slice), "interval"); break;
		case 5: {
			int which = ONE_OF(PRIO_PROCESS, PRIO_PROCESS, PRIO_PGRP, 3, -1), value = ONE_OF(0, 5, 19, 20, 100, 7);
			setpgid(0, 0);
			tell(syscall(SYS_setpriority, which, tid == getpid() ? 0 : tid, value), "setpriority %d %d", which, value);
			tell(syscall(SYS_getpriority, which, tid == getpid() ? 0 : tid), "getpriority");
			break;
		}
		case 6: {
			unsigned long cpus[2] = { ONE_OF(1, 0, -1), 0 };
			int size = ONE_OF(8, 16, 0, 4);
			tell(syscall(SYS_sched_setaffinity, tid, size, cpus) ? -1 : 0, "setaffinity %d %lx", size, cpus[0]);
			break;
		}
		}
		memset(&wanted, 7, sizeof wanted);
		tell(syscall(SYS_sched_getparam, tid, &wanted), "getparam");
		printf("%d %ld\n", wanted.sched_priority, syscall(SYS_sched_getscheduler, tid));
	}
	struct sched_param none = { 0 };
	sched_setscheduler(0, 0, &none);
}

/* Identities, and what they may do to files of several modes and owners. */
static void identities(void)
{
	static const uid_t users[] = { 0, 1000, 1001, -1, 1000 };
	static const gid_t groups[] = { 0, 1000, 2000, -1, 3000 };
	static const char *const all[] = { "a", "b", "c", "d" };

	chmod(".", 0777);
	for (int step = 0; step < steps; step++) {
		pid_t child;
		int status;
		const char *name = all[below(4)];
		for (int i = 0; i < 2; i++) {
			mknod(all[below(4)], S_IFREG | below(01000), 0);
			chown(all[below(4)], users[below(3)], groups[below(3)]);
			chmod(all[below(4)], below(010000));
		}
		fflush(stdout);
		child = fork();
		if (!child) {
			struct stat found;
			gid_t list[2] = { groups[below(3)], 3000 };
			struct timespec times[2] = { { 5, ONE_OF(6, UTIME_NOW, UTIME_OMIT, 1000000000) }, { 7, ONE_OF(8, UTIME_OMIT, UTIME_NOW) } };
			uid_t real, effective, saved;
			if (below(2))
				tell(setgroups(below(3), list), "setgroups");
			for (int i = 0; i < 3; i++)
				switch (below(9)) {
				case 0: tell(setresgid(groups[below(5)], groups[below(5)], groups[below(5)]), "setresgid"); break;
				case 1: tell(setresuid(users[below(5)], users[below(5)], users[below(5)]), "setresuid"); break;
				case 2: tell(setreuid(users[below(5)], users[below(5)]), "setreuid"); break;
				case 3: tell(setregid(groups[below(5)], groups[below(5)]), "setregid"); break;
				case 4: tell(setuid(users[below(5)]), "setuid"); break;
				case 5: tell(setgid(groups[below(5)]), "setgid"); break;
				case 6: {
					uid_t user = users[below(5)];
					if (user || !geteuid())  /* else it keeps rights that it gets with the superuser's id for files */
						tell(syscall(SYS_setfsuid, user), "setfsuid");
					break;
				}
				case 7: tell(syscall(SYS_setfsgid, groups[below(5)]), "setfsgid"); break;
				case 8: tell(seteuid(users[below(5)]), "seteuid"); break;
				}
			getresuid(&real, &effective, &saved);
			printf("%d %d %d ", real, effective, saved);
			getresgid(&real, &effective, &saved);
			printf("%d %d %d, %d\n", real, effective, saved, getgroups(0, NULL));
			for (int i = 0; i < 4; i++) {
				name = all[below(4)];
				int mode = below(8);
				switch (below(10)) {
				case 0: case 1: tell(access(name, mode), "access %s %d", name, mode); break;
				case 2: tell(faccessat(AT_FDCWD, name, mode, AT_EACCESS), "eaccess %s %d", name, mode); break;
				case 3: case 4: tell(open(name, ONE_OF(O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY | O_NOATIME)) < 0 ? -1 : 0, "open %s", name); break;
				case 5: tell(chmod(name, below(010000)), "chmod %s", name); break;
				case 6: {
					uid_t user = users[below(4)];
					gid_t group = groups[below(4)];
					tell(chown(name, user, group), "chown %s %d %d", name, user, group);
					break;
				}
				case 7: tell(utimensat(AT_FDCWD, name, below(3) ? times : NULL, 0), "utimensat %s %ld", name, times[0].tv_nsec); break;
				case 8: case 9: tell(truncate(name, below(10)), "truncate %s", name); break;
				}
			}
			for (int i = 0; i < 4; i++)
				if (!stat(all[i], &found))
					printf("%s %o %d %d; ", all[i], found.st_mode & ~S_ISGID, found.st_uid, found.st_gid);
			putchar('\n');
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, &status, 0);
		below(2);
		if (below(5) == 0)
			unlink(name);
	}
}

/* Wait until a process is in one of these states. */
static void settle(pid_t pid, const char *states)
{
	char path[40], line[300], *at;

	sprintf(path, "/proc/%d/stat", pid);
	for (int i = 0; i < 5000; i++) {
		int fd = open(path, O_RDONLY);
		line[fd < 0 ? 0 : read(fd, line, sizeof line - 1)] = 0;
		close(fd);
		if (fd < 0 || ((at = strchr(line, ')')) && strchr(states, at[2])))
			return;
		usleep(500);
	}
}

/* Children that stop, go on and end, and all ways to wait for them. */
static void children(void)
{
	pid_t pids[3] = { 0 };
	struct rusage usage;

	signal(SIGCHLD, SIG_DFL);
	for (int step = 0; step < steps; step++) {
		int which = below(3), status = -1, found;
		siginfo_t info = { 0 };

		if (!pids[which] || kill(pids[which], 0)) {
			int ends = below(3) == 0, leads = below(2);
			fflush(stdout);
			pids[which] = fork();
			if (!pids[which]) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				if (ends)
					_exit(which + 40);
				for (;;)
					pause();
			}
			if (leads)
				setpgid(pids[which], 0);
			settle(pids[which], ends ? "Z" : "S");
			printf("child %d\n", which);
		} else {
			int number = ONE_OF(SIGSTOP, SIGCONT, SIGTERM, SIGKILL, SIGSTOP, SIGCONT);
			tell(kill(pids[which], number), "kill %d", which);
			settle(pids[which], number == SIGCONT ? "SZ" : number == SIGKILL ? "Z" : "TZ");
		}
		for (int i = below(3); i; i--) {
			int options = ONE_OF(0, WUNTRACED, WCONTINUED, WUNTRACED | WCONTINUED, 0x100, __WALL, __WCLONE) | WNOHANG;
			int kind = ONE_OF(P_ALL, P_PID, P_PGID, P_PID, 9), wanted = ONE_OF(WEXITED, WSTOPPED, WCONTINUED, WEXITED | WNOWAIT,
			    WEXITED | WSTOPPED | WCONTINUED, 0, 1 << 8);
			pid_t pid = ONE_OF(pids[which], -1, 0, -pids[which], 0x3ffff0);
			if (below(2)) {
				found = wait4(pid, &status, options, below(2) ? &usage : NULL);
				tell(found > 0 ? 100 + (found == pids[1]) + 2 * (found == pids[2]) : found, "wait4 %x", options);
				printf("%x\n", status);
			} else {
				pid = kind == P_ALL ? 0 : pids[which];
				tell(waitid(kind, pid, &info, wanted | WNOHANG), "waitid %d %x", kind, wanted);
				printf("%d %d %d %d\n", info.si_signo, info.si_code, info.si_status,
				       info.si_pid ? 100 + (info.si_pid == pids[1]) + 2 * (info.si_pid == pids[2]) : 0);
			}
		}
	}
	for (int i = 0; i < 3; i++)
		if (pids[i])
			kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void noted(int number)
{
}

/* Wait in one of many ways, for long; some ways need a set of semaphores or a queue of messages. */
static long asleep(int how, int object)
{
	static char block[70000];
	static struct { long type; char text[8000]; } message = { 1 };
	static unsigned word;
	struct timespec long_time = { 5000, 0 };
	struct timeval time = { 5000, 0 };
	struct pollfd none = { -1 };
	struct epoll_event event;
	struct sockaddr_un name = { AF_UNIX };
	sigset_t all;
	long found = 0;
	int ends[2], fd;

	pipe(ends);
	sigfillset(&all);
	switch (how) {
	case 0: return nanosleep(&long_time, NULL);
	case 1: return poll(&none, 1, 5000000);
	case 2: return select(0, NULL, NULL, NULL, &time);
	case 3: return read(ends[0], block, 1);
	case 4: return write(ends[1], block, sizeof block);
	case 5: return pause();
	case 6: return epoll_wait(epoll_create1(0), &event, 1, 5000000);
	case 7: return syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, 0, 0);
	case 8: return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &long_time, 0, 0);
	case 9: case 10:
		return semtimedop(object, &(struct sembuf){ 0, -1, 0 }, 1, how == 9 ? NULL : &long_time);
	case 11: case 12:
		for (int i = 0; i < 5 && !found; i++)
			found = how == 11 ? msgrcv(object, &message, 10, 0, 0) : msgsnd(object, &message, sizeof message.text, 0);
		return found;
	case 13:
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		bind(fd, (void *)&name, sizeof name.sun_family);
		listen(fd, 1);
		return accept(fd, NULL, NULL);
	case 14: case 15:
		fd = socket(AF_UNIX, SOCK_DGRAM, 0);
		if (how == 15)
			setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
		return recv(fd, block, 1, 0);
	case 16: return sigtimedwait(&(sigset_t){ 0 }, NULL, &long_time);
	case 17: return clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL) ? (errno = EINTR, -1) : 0;
	case 18:
		fd = eventfd(0, 0);
		return read(fd, block, 8);
	case 19: {
		int other = open("flock", O_CREAT | O_RDWR, 0600);
		fd = open("flock", O_RDWR);
		flock(other, LOCK_EX);
		return flock(fd, LOCK_EX);
	}
	case 20: return sigsuspend(&(sigset_t){ 0 });
	case 21: return open("fifo", O_RDONLY);
	default: return wait4(-1, NULL, 0, NULL);
	}
}

/* What a stop, and a signal with a handler, do to a process that waits. */
static void interruptions(void)
{
	mkfifo("fifo", 0600);
	for (int how = 0; how < 22; how++)
		for (int kind = 0; kind < 4; kind++) {
			int status, ends[2], set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
			char told[40] = "sleeps on";
			pid_t child;

			pipe(ends);
			fflush(stdout);
			child = fork();
			if (!child) {
				struct sigaction action = { .sa_handler = kind == 3 ? SIG_IGN : noted, .sa_flags = kind == 1 ? SA_RESTART : 0 };
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				sigaction(SIGUSR1, &action, NULL);
				long found = asleep(how, how < 11 ? set : queue);
				char line[40] = { 0 };
				sprintf(line, "%ld %s", found, found < 0 ? strerrorname_np(errno) : "");
				write(ends[1], line, sizeof line);
				_exit(0);
			}
			settle(child, "S");
			if (kind)
				kill(child, SIGUSR1);
			else {
				kill(child, SIGSTOP);
				settle(child, "T");
				kill(child, SIGCONT);
			}
			usleep(2000);
			settle(child, "SZ");
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			semctl(set, 0, IPC_RMID);
			msgctl(queue, IPC_RMID, NULL);
			close(ends[1]);
			read(ends[0], told, sizeof told);
			close(ends[0]);
			printf("%d, %d: %s\n", how, kind, told);
		}
}

/* Sockets of four kinds: names, connections, flags of sending and receiving, options. */
static void sockets(void)
{
	static char block[5000];
	int fds[6] = { -1, -1, -1, -1, -1, -1 };

	signal(SIGPIPE, SIG_IGN);
	for (int step = 0; step < steps / 2; step++) {
		int slot = below(6), fd = fds[slot], size = ONE_OF(0, 1, 10, 100, 3000);
		struct sockaddr_un name = { AF_UNIX };
		socklen_t length = sizeof name.sun_family + sprintf(name.sun_path + 1, "sequences%07d-%d", getppid(), below(3)) + 1;

		if (fd < 0) {
			int type = ONE_OF(SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET), pair[2];
			if (below(2)) {
				fds[slot] = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
				printf("socket %d of %d\n", slot, type);
			} else {
				int other = (slot + 1) % 6;
				close(fds[other]);
				socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, pair);
				fds[slot] = pair[0], fds[other] = pair[1];
				printf("pair %d of %d\n", slot, type);
			}
			continue;
		}
		printf("%d: ", slot);
		memset(block, step, sizeof block);
		switch (below(14)) {
		case 0: tell(bind(fd, (void *)&name, length), "bind"); break;
		case 1: tell(listen(fd, ONE_OF(0, 1, 5)), "listen"); break;
		case 2: case 3: tell(connect(fd, (void *)&name, length), "connect"); break;
		case 4: {
			struct sockaddr_un from = { 9 };
			socklen_t room = ONE_OF(sizeof from, 0, 5);
			int got = accept4(fd, (void *)&from, &room, SOCK_NONBLOCK);
			tell(got < 0 ? -1 : 0, "accept");
			printf("%d %d\n", got < 0 ? 0 : (int)room, got < 0 ? 0 : from.sun_family);
			if (got >= 0) {
				slot = below(6);
				close(fds[slot]);
				fds[slot] = got;
			}
			break;
		}
		case 5: case 6: {
			int flags = ONE_OF(0, 0, MSG_DONTWAIT, MSG_NOSIGNAL, 0, MSG_EOR);
			tell(send(fd, block, size, flags), "send %d %x", size, flags);
			break;
		}
		case 7: case 8: {
			int flags = ONE_OF(0, 0, MSG_PEEK, MSG_TRUNC, MSG_PEEK | MSG_TRUNC, MSG_OOB);
			long found = tell(recv(fd, block, size, flags), "recv %d %x", size, flags);
			printf("%x\n", sum(block, found > size ? size : found > 0 ? found : 0));
			break;
		}
		case 9: tell(sendto(fd, block, size, 0, (void *)&name, length), "sendto %d", size); break;
		case 10: {
			struct iovec parts[] = { { block, size }, { block + 3000, 10 } };
			struct msghdr message = { .msg_iov = parts, .msg_iovlen = below(3), .msg_name = below(2) ? &name : NULL, .msg_namelen = length };
			memset(&name, 0, sizeof name);
			long found = tell(recvmsg(fd, &message, ONE_OF(0, MSG_PEEK, MSG_TRUNC)), "recvmsg %d", (int)message.msg_iovlen);
			if (found >= 0)
				printf("%x %x %d\n", message.msg_flags, sum(block, size), message.msg_name ? (int)message.msg_namelen : 0);
			break;
		}
		case 11: {
			int how = below(4), type = 0;
			length = sizeof type;
			getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length);
			if (type != SOCK_DGRAM)
				tell(shutdown(fd, how), "shutdown %d", how);
			break;
		}
		case 12: {
			int option = ONE_OF(SO_TYPE, SO_ACCEPTCONN, SO_ERROR, SO_DOMAIN, SO_PROTOCOL, SO_REUSEADDR, SO_PASSCRED, SO_KEEPALIVE, 999);
			int value = ONE_OF(0, 1, 5);
			length = ONE_OF(4, 8, 2, 0);
			if (below(2))
				tell(setsockopt(fd, SOL_SOCKET, option, &value, length), "setsockopt %d %d %d", option, value, length);
			else {
				value = 0;
				tell(getsockopt(fd, SOL_SOCKET, option, &value, &length), "getsockopt %d", option);
				printf("%d %d\n", value, length);
			}
			break;
		}
		case 13:
			if (below(3) == 0) {
				tell(close(fd), "close");
				fds[slot] = -1;
				break;
			}
			length = ONE_OF(110, 2, 5, 0);
			memset(&name, 0, sizeof name);
			tell(getsockname(fd, (void *)&name, &length), "getsockname");
			printf("%d %d %d\n", length, name.sun_family, length > 5 && length < 50 ? name.sun_path[length - 3] : 0);
			length = 110;
			tell(getpeername(fd, (void *)&name, &length), "getpeername");
			printf("%d\n", length);
			break;
		}
		for (int i = 0; i < 6; i++) {
			struct pollfd polled = { fds[i], ONE_OF(POLLIN, POLLIN | POLLOUT, POLLIN | POLLRDHUP) };
			int waiting = 0;
			poll(&polled, 1, 0);
			if (fds[i] >= 0)
				ioctl(fds[i], FIONREAD, &waiting);
			printf("%x/%d ", polled.revents, waiting);
		}
		putchar('\n');
	}
}

/* Limits of this process that break nothing, and prctl. */
static void limits(void)
{
	static const int kinds[] = { RLIMIT_LOCKS, RLIMIT_MSGQUEUE, RLIMIT_RTTIME, RLIMIT_RSS };

	for (int i = 0; i < COUNT(kinds); i++)
		setrlimit(kinds[i], &(struct rlimit){ 1000, 5000 });
	for (int step = 0; step < steps; step++) {
		int kind = below(12) ? kinds[below(COUNT(kinds))] : ONE_OF(16, 17, -1, 99);
		/* whether root may raise what is allowed at most depends on the host */
		struct rlimit wanted = { ONE_OF(0, 100, 1000, 4000, 5000, 5001, -1), 5000 }, found = { 7, 7 };

		switch (below(5)) {
		case 0: case 1:
			tell(setrlimit(kind, &wanted), "setrlimit %d %ld %ld", kind, (long)wanted.rlim_cur, (long)wanted.rlim_max);
			break;
		case 2:
			tell(prlimit(ONE_OF(0, getpid(), 0x3ffff0), kind, NULL, &found), "prlimit %d", kind);
			break;
		case 3: {
			static const int settings[][2] = { { PR_SET_DUMPABLE, PR_GET_DUMPABLE },
			    { PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS } };
			int which = below(COUNT(settings)), value = ONE_OF(0, 1, 2, 3, -1);
			tell(prctl(settings[which][0], value, below(9) == 0, 0, 0), "prctl %d %d", settings[which][0], value);
			tell(prctl(settings[which][1], 0, 0, 0, 0), "its value");
			break;
		}
		case 4: {
			int signal = ONE_OF(0, 9, 64, 65, -1), told = -1, who = ONE_OF(0, -1, 1, 2);
			struct rusage usage;
			memset(&usage, 7, sizeof usage);
			tell(getrusage(who, &usage), "getrusage %d", who);
			printf("%ld %ld %ld %ld %ld %ld %ld\n", usage.ru_ixrss, usage.ru_idrss, usage.ru_isrss, usage.ru_nswap,
			       usage.ru_msgsnd, usage.ru_msgrcv, usage.ru_nsignals);
			tell(syscall(SYS_membarrier, ONE_OF(99, 1 << 20), 0, 0), "membarrier");
			tell(syscall(SYS_membarrier, 0, 1, 0), "membarrier with a flag");
			tell(prctl(PR_SET_PDEATHSIG, signal), "pdeathsig %d", signal);
			prctl(PR_GET_PDEATHSIG, &told);
			tell(prctl(PR_SET_CHILD_SUBREAPER, below(3)), "subreaper %d", told);
			prctl(PR_GET_CHILD_SUBREAPER, &told);
			tell(prctl(PR_CAPBSET_READ, ONE_OF(0, 40, 64, -1, 63)), "bounding set %d", told);
			prctl(PR_SET_PDEATHSIG, 0);
			break;
		}
		}
		tell(getrlimit(kind, &found), "getrlimit %d", kind);
		printf("%ld %ld\n", (long)found.rlim_cur, (long)found.rlim_max);
	}
}

/* TCP and UDP over the loopback, IPv4 and IPv6: names, connections, options; ports are told by what has them. */
static void network(void)
{
	static char block[3000];
	int fds[6] = { -1, -1, -1, -1, -1, -1 }, ports[6] = { 0 };
	union { struct sockaddr_in v4; struct sockaddr_in6 v6; struct sockaddr any; } name, other;

	signal(SIGPIPE, SIG_IGN);
	for (int step = 0; step < steps / 2; step++) {
		int slot = below(6), fd = fds[slot], target = below(6), wide = below(3) == 0, size = ONE_OF(0, 1, 100, 2000);
		socklen_t length = wide ? sizeof name.v6 : sizeof name.v4;

		memset(&name, 0, sizeof name);
		if (wide) {
			name.v6 = (struct sockaddr_in6){ AF_INET6, htons(ports[target]), 0, below(4) ? in6addr_loopback : in6addr_any };
		} else
			name.v4 = (struct sockaddr_in){ AF_INET, htons(ports[target]), { htonl(below(4) ? INADDR_LOOPBACK : INADDR_ANY) } };
		if (fd < 0) {
			int type = ONE_OF(SOCK_STREAM, SOCK_STREAM, SOCK_DGRAM);
			fds[slot] = socket(wide ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK, 0);
			printf("socket %d of %d, %d\n", slot, type, wide);
			ports[slot] = 0;
			continue;
		}
		printf("%d: ", slot);
		memset(block, step, sizeof block);
		switch (below(12)) {
		case 0: case 1:
			if (below(3))
				name.v4.sin_port = 0;
			tell(bind(fd, &name.any, ONE_OF(length, length, length, 2, 8)), "bind %d", wide);
			break;
		case 2: tell(listen(fd, 3), "listen"); break;
		case 3: case 4:
			if (ports[target])
				tell(connect(fd, &name.any, length), "connect %d to %d", wide, target);
			break;
		case 5: {
			length = sizeof other;
			memset(&other, 0, sizeof other);
			int got = accept4(fd, &other.any, &length, SOCK_NONBLOCK);
			tell(got < 0 ? -1 : 0, "accept");
			if (got >= 0) {
				printf("from %d, %d bytes\n", other.any.sa_family, (int)length);
				slot = below(6);
				close(fds[slot]);
				fds[slot] = got;
				ports[slot] = 0;
			}
			break;
		}
		case 6: case 7: tell(send(fd, block, size, ONE_OF(0, MSG_NOSIGNAL)), "send %d", size); break;
		case 8: case 9: {
			int flags = ONE_OF(0, MSG_PEEK);
			long found = tell(recv(fd, block, size, flags), "recv %d %x", size, flags);
			printf("%x\n", sum(block, found > 0 ? found : 0));
			break;
		}
		case 10:
			if (ports[target])
				tell(sendto(fd, block, size, 0, &name.any, length), "sendto %d, %d", size, wide);
			break;
		case 11: {
			int option = ONE_OF(1, 2, 4, 6), value = 0;
			length = sizeof value;
			tell(getsockopt(fd, SOL_SOCKET, ONE_OF(SO_TYPE, SO_ERROR, SO_DOMAIN, SO_PROTOCOL, SO_ACCEPTCONN), &value, &length), "getsockopt");
			printf("%d\n", value);
			break;
		}
		}
		for (int i = 0; i < 6; i++) {
			if (fds[i] < 0)
				continue;
			length = sizeof other;
			memset(&other, 0, sizeof other);
			getsockname(fds[i], &other.any, &length);
			ports[i] = ntohs(other.v4.sin_port);
			printf("%d %d %d %x; ", other.any.sa_family, (int)length, ports[i] != 0, other.any.sa_family == AF_INET ?
			       ntohl(other.v4.sin_addr.s_addr) : other.v6.sin6_addr.s6_addr[15]);
			length = sizeof other;
			int found = getpeername(fds[i], &other.any, &length), owner = -1;
			for (int k = 0; !found && k < 6; k++)
				if (fds[k] >= 0 && ports[k] == ntohs(other.v4.sin_port))
					owner = k;
			printf("%d %d; ", found ? errno : (int)length, owner);
		}
		putchar('\n');
	}
}

/* Make a connection of a kind over the loopback; the first end receives. */
static void connection(int kind, int ends[2])
{
	struct sockaddr_in name = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof name;
	int first = socket(AF_INET, kind, 0);

	bind(first, (void *)&name, length);
	if (kind == SOCK_STREAM)
		listen(first, 1);
	getsockname(first, (void *)&name, &length);
	ends[1] = socket(AF_INET, kind, 0);
	connect(ends[1], (void *)&name, length);
	ends[0] = kind == SOCK_STREAM ? accept(first, NULL, NULL) : first;
	if (kind == SOCK_STREAM)
		close(first);
}

/* What is left of bytes that are read into memory that is not there, or only in part. */
static void places(void)
{
	static const char *const names[] = { "stream", "packets", "messages", "TCP", "UDP", "pipe", "terminal" };
	char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *edge = pages + 2 * PAGE;

	munmap(edge, PAGE);
	for (int kind = 0; kind < COUNT(names); kind++)
		for (int way = 0; way < (kind < 5 ? 6 : 4); way++) {
			struct iovec parts[2] = { { edge - 3, 3 }, { edge + 5, 20 } };
			struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
			int ends[2], waiting = 0;
			char rest[2][24] = { "", "" };

			if (kind < 3)
				socketpair(AF_UNIX, (int[]){ SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM }[kind], 0, ends);
			else if (kind < 5)
				connection(kind == 3 ? SOCK_STREAM : SOCK_DGRAM, ends);
			else if (kind == 5)
				pipe(ends);
			else {
				struct termios raw;
				ends[1] = posix_openpt(O_RDWR | O_NOCTTY);
				unlockpt(ends[1]);
				ends[0] = open(ptsname(ends[1]), O_RDWR | O_NOCTTY);
				tcgetattr(ends[0], &raw);
				cfmakeraw(&raw);
				tcsetattr(ends[0], TCSANOW, &raw);
			}
			fcntl(ends[0], F_SETFL, O_NONBLOCK);
			write(ends[1], "abcdefgh", 8);
			write(ends[1], "ABCDEFGH", way == 2 && kind == 0 ? 0 : 8);  /* a kernel gives whole writes */
			for (int i = 0; i < 1000 && waiting < (kind == 6 ? 16 : 8); i++) {  /* a terminal has all of both later */
				if (i)
					usleep(1000);
				ioctl(ends[0], FIONREAD, &waiting);
			}
			memset(pages, '.', 2 * PAGE);
			switch (way) {
			case 0: tell(read(ends[0], edge, 20), "%s: nowhere", names[kind]); break;
			case 1: tell(read(ends[0], edge - 3, 20), "%s: three", names[kind]); break;
			case 2: tell(read(ends[0], edge - 10, 20), "%s: ten", names[kind]); break;
			case 3: tell(readv(ends[0], parts, 2), "%s: parts", names[kind]); break;
			case 4: tell(recvmsg(ends[0], &message, 0), "%s: message", names[kind]); break;
			case 5: tell(recv(ends[0], edge - 3, 20, MSG_PEEK), "%s: peek", names[kind]); break;
			}
			waiting = 0;
			ioctl(ends[0], FIONREAD, &waiting);
			for (int i = 0; i < 2; i++)
				tell(read(ends[0], rest[i], 20), "left of %d", waiting);
			printf("%.3s, %s, %s\n", edge - 3, rest[0], rest[1]);
			close(ends[0]);
			close(ends[1]);
		}
}

static const struct { const char *name; void (*run)(void); } arenas[] = {
	{ "mappings", mappings }, { "locks", locks }, { "pipes", pipes }, { "signals", signals }, { "names", names },
	{ "descriptors", descriptors }, { "contents", contents }, { "futexes", futexes }, { "queues", queues },
	{ "owners", owners }, { "events", events }, { "debugged", debugged }, { "timers", timers }, { "scheduling", scheduling },
	{ "identities", identities }, { "children", children }, { "sockets", sockets }, { "network", network }, { "limits", limits },
	{ "interruptions", interruptions }, { "places", places }, { "images", images },
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
