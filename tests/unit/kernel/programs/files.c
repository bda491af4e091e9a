/* Files: mapping, locking, sparse and appended ones, directories, links, times, /proc/self. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(long result)
{
	printf("    -> %ld%s%s\n", result, errno ? " " : "", errno ? strerror(errno) : "");
	errno = 0;
}

#define CHECK(call) (errno = 0, printf("%s", #call), say((long)(call)))

static void mapping(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0644);
	char *shared, *private, text[8] = { 0 };

	CHECK(ftruncate(fd, 10000));
	shared = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	memcpy(shared + 4094, "abcd", 4);
	private[0] = 'p';
	CHECK(pread(fd, text, 4, 4094));
	puts(text);
	CHECK(pwrite(fd, "WXYZ", 4, 8000));
	printf("%.4s %d\n", shared + 8000, shared[0]);
	if (fork() == 0) {
		shared[1] = 'c';
		private[1] = 'c';
		_exit(0);
	}
	wait(NULL);
	printf("%d %d\n", shared[1], private[1]);
	CHECK(msync(shared, 10000, MS_SYNC));
	munmap(shared, 10000);
	CHECK(lseek(fd, 0, SEEK_END));
	CHECK(close(fd));
}

/* What file systems say of files; where the size of a disk is told, the host has another one. */
static void file_systems(void)
{
	int pipes[2], memory = memfd_create("m", 0), event = eventfd(0, 0), count[2];
	struct statfs here;

	CHECK(pipe(pipes));
	const int files[] = { pipes[0], pipes[1], socket(AF_UNIX, SOCK_STREAM, 0), epoll_create1(0), event,
		open("/proc/self/stat", O_RDONLY) };
	for (unsigned i = 0; i < 6; i++) {
		CHECK(fstatfs(files[i], &here));
		printf("%lx %ld %ld %ld %ld %ld %lx\n", (long)here.f_type, (long)here.f_bsize, (long)here.f_blocks,
		    (long)here.f_files, (long)here.f_namelen, (long)here.f_frsize, (long)here.f_flags & ~0xEL);
		CHECK(close(files[i]));
	}
	CHECK(statfs("/dev", &here));
	printf("%lx %ld %d\n", (long)here.f_type, (long)here.f_namelen, here.f_bavail > 0);
	CHECK(statfs("missing", &here));
	CHECK(close(memory));
	/* descriptors that could not be told are free again */
	for (int i = 0; i < 2; i++)
		CHECK(pipe((int *)8) + socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)8));
	CHECK(socketpair(AF_INET, SOCK_STREAM, 0, count));
	CHECK(count[1] - count[0]);
	CHECK(pipe(pipes));
	printf("%d %d\n", pipes[0], pipes[1]);
	close(pipes[0]);
	close(pipes[1]);
}

static void positions(void)
{
	int fd = open("positions", O_RDWR | O_CREAT | O_APPEND, 0600), copy, other;
	struct iovec vector[2] = { { "one ", 4 }, { "two ", 4 } };
	char text[64] = { 0 };
	off_t offset = 4;

	CHECK(writev(fd, vector, 2));
	lseek(fd, 0, SEEK_SET);
	CHECK(write(fd, "three", 5));
	CHECK(lseek(fd, 2, SEEK_SET));
	copy = dup(fd);
	CHECK(read(copy, text, 3));
	CHECK(lseek(fd, 0, SEEK_CUR));
	other = open("other", O_RDWR | O_CREAT, 0644);
	CHECK(sendfile(other, fd, &offset, 100));
	CHECK((long)offset);
	CHECK(pread(other, text, 64, 0));
	puts(text);
	CHECK(lseek(other, 1 << 20, SEEK_SET));
	CHECK(write(other, "end", 3));
	struct stat status;
	fstat(other, &status);
	printf("%lld %o\n", (long long)status.st_size, status.st_mode);
	CHECK(lseek(fd, -100, SEEK_SET));
	CHECK(ftruncate(other, 3));
	CHECK(read(other, text, 3));
	CHECK(write(open("positions", O_RDONLY), "x", 1));
	CHECK(open("positions", O_CREAT | O_EXCL | O_RDWR, 0600));
	CHECK(open("positions/below", O_RDONLY));
	CHECK(open(".", O_WRONLY));
	CHECK(read(open(".", O_RDONLY), text, 3));
	CHECK(fcntl(fd, F_GETFL) & (O_APPEND | O_ACCMODE));
	CHECK(fallocate(other, 0, 0, 5000));
	fstat(other, &status);
	printf("%lld\n", (long long)status.st_size);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char **)a, *(char **)b);
}

static void names(void)
{
	char *list[32], text[64] = { 0 };
	int count = 0;
	DIR *directory;
	struct dirent *entry;
	struct stat status;
	struct timespec times[2] = { { 1000, 5 }, { 2000, UTIME_OMIT } };

	CHECK(mkdir("d", 0755));
	CHECK(mkdir("d", 0755));
	CHECK(symlink("../positions", "d/link"));
	CHECK(link("positions", "d/hard"));
	CHECK(readlink("d/link", text, 5));
	puts(text);
	CHECK(rename("d", "e"));
	CHECK(rmdir("e"));
	CHECK(unlink("e"));
	CHECK(access("e/link", R_OK));
	CHECK(access("e/none", F_OK));
	stat("e/hard", &status);
	printf("links %d\n", (int)status.st_nlink);
	CHECK(utimensat(AT_FDCWD, "e/hard", times, 0));
	stat("positions", &status);
	printf("atime %ld.%ld mtime recent %d\n", (long)status.st_atim.tv_sec, status.st_atim.tv_nsec,
	    status.st_mtime > 2000);
	CHECK(chmod("e/hard", 0750));
	CHECK(stat("positions", &status));
	printf("mode %o\n", status.st_mode);
	directory = opendir("e");
	while ((entry = readdir(directory)) != NULL) {
		sprintf(text, "%d %s", entry->d_type, entry->d_name);
		list[count++] = strdup(text);
	}
	qsort(list, count, sizeof list[0], by_name);
	for (int i = 0; i < count; i++)
		puts(list[i]);
	rewinddir(directory);
	unlink("e/hard");
	count = 0;
	while (readdir(directory) != NULL)
		count++;
	printf("%d entries\n", count);
	CHECK(symlink("loop", "loop"));
	CHECK(open("loop", O_RDONLY));
	CHECK(open("loop", O_RDONLY | O_NOFOLLOW));
	CHECK(chdir("e"));
	CHECK(open("../positions", O_RDONLY) > 0);
	CHECK(unlink("link"));
	CHECK(rmdir("../e"));
	CHECK((long)getcwd(text, sizeof text));
	CHECK(chdir(".."));
}

static void locks(void)
{
	int fd = open("positions", O_RDWR), status;
	struct flock lock = { F_WRLCK, SEEK_SET, 0, 10, 0 };

	CHECK(fcntl(fd, F_SETLK, &lock));
	fflush(stdout);
	if (fork() == 0) {
		struct flock mine = { F_RDLCK, SEEK_SET, 5, 1, 0 };
		int blocked = fcntl(fd, F_SETLK, &mine) == -1 && (errno == EAGAIN || errno == EACCES);
		fcntl(fd, F_GETLK, &mine);
		blocked += 2 * (mine.l_type == F_WRLCK && mine.l_pid == getppid() && mine.l_len == 10);
		mine = (struct flock){ F_WRLCK, SEEK_SET, 10, 1, 0 };
		blocked += 4 * (fcntl(fd, F_SETLK, &mine) == 0);
		_exit(blocked);
	}
	wait(&status);
	printf("lock %d\n", WEXITSTATUS(status));
	CHECK(flock(fd, LOCK_EX));
	CHECK(flock(open("positions", O_RDONLY), LOCK_SH | LOCK_NB));
}

static void about_self(char *name)
{
	char text[4096], *base = strrchr(name, '/');
	int fd = open("/proc/self/stat", O_RDONLY), count = 0;
	ssize_t size = read(fd, text, sizeof text - 1);
	FILE *file = fopen("/proc/self/maps", "r");

	text[size] = '\0';
	printf("%d %s\n", atoi(text) == getpid(), strchr(text, '(') != NULL ? "comm" : "none");
	while (fgets(text, sizeof text, file) != NULL)
		count += strstr(text, base + 1) != NULL || strstr(text, "[stack]") != NULL;
	fclose(file);
	printf("mapped %d\n", count >= 3);
	size = readlink("/proc/self/exe", text, sizeof text);
	printf("exe %d\n", strncmp(text + size - strlen(base), base, strlen(base)));
	fd = open("unlinked", O_RDWR | O_CREAT, 0644);
	unlink("unlinked");
	CHECK(write(fd, "still", 5));
	sprintf(text, "/proc/self/fd/%d", fd);
	fd = open(text, O_RDONLY);
	CHECK(read(fd, text, 10));
	CHECK(open("/proc/self/none", O_RDONLY));
	CHECK(open("/dev/null", O_RDWR) > 0);
	CHECK(write(open("/dev/full", O_WRONLY), "x", 1));
}

/* Three processes, of which each has a byte and wants the next one's: the last is told. */
static void deadlock(void)
{
	int fd = open("deadlock", O_RDWR | O_CREAT, 0644), ends[2];
	struct flock own = { F_WRLCK, SEEK_SET, 0, 1 }, next = { F_WRLCK, SEEK_SET, 1, 1 };

	CHECK(fcntl(fd, F_SETLK, &own));
	pipe(ends);
	for (int each = 1; each < 3; each++)
		if (fork() == 0) {
			own.l_start = each, next.l_start = (each + 1) % 3;
			fcntl(fd, F_SETLK, &own), write(ends[1], "x", 1);
			usleep(100000 * (3 - each));
			_exit(fcntl(fd, F_SETLKW, &next) < 0 ? errno : 0);
		}
	read(ends[0], &own, 1), read(ends[0], &own, 1), usleep(400000);
	CHECK(fcntl(fd, F_SETLKW, &next));
	CHECK(close(fd));
	while (wait(&ends[0]) > 0)
		printf("%d\n", ends[0]);
	unlink("deadlock");
}

int main(int argc, char **argv)
{
	umask(022);
	mapping();
	file_systems();
	positions();
	names();
	locks();
	deadlock();
	about_self(argv[0]);
	return 0;
}
