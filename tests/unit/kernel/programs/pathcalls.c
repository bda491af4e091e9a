/* Calls that take paths, on everything that can be at a path: files, directories, links, pipes, sockets, devices, nothing. */
#include "portable.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const paths[] = { "file", "directory", "full", "link", "dangling", "loop", "tolink", "fifo", "socket",
    "missing", "file/", "directory/", "full/.", "full/..", "link/", "dangling/", "file/below", "missing/below", "todirectory",
    "todirectory/", "other", "", ".", "..", "/", "/dev/null", "/dev/null/", "no/../file", "full/in" };
enum { PATHS = sizeof paths / sizeof paths[0] };

static int changed = 1;

static void say(int result)
{
	changed |= result >= 0;
	printf(" %s", result < 0 ? strerrorname_np(errno) : "ok");
}

static void remove_one(const char *path)
{
	char below[40];

	if (!unlink(path) || !rmdir(path) || errno == ENOENT)
		return;
	for (int i = 0; i < 2; i++) {
		sprintf(below, "%s/%s", path, i ? "new" : "in");
		if (unlink(below) < 0)
			rmdir(below);
	}
	rmdir(path);
}

static void remove_all(void)
{
	static const char *const all[] = { "file", "directory", "full", "link", "dangling", "loop", "tolink", "fifo", "socket",
	    "missing", "other", "nowhere", "todirectory", "new" };

	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
		remove_one(all[i]);
}

static void make_all(void)
{
	struct sockaddr_un name = { AF_UNIX, "socket" };

	if (!changed)
		return;
	remove_all();
	close(open("file", O_CREAT | O_WRONLY, 0644));
	close(open("other", O_CREAT | O_WRONLY, 0600));
	mkdir("directory", 0755);
	mkdir("full", 0755);
	close(open("full/in", O_CREAT | O_WRONLY, 0644));
	symlink("file", "link");
	symlink("nowhere", "dangling");
	symlink("loop", "loop");
	symlink("link", "tolink");
	symlink("directory", "todirectory");
	mkfifo("fifo", 0644);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fd, (struct sockaddr *)&name, sizeof name);
	close(fd);
	changed = 0;
}

/* What is there now, by what can be told of it. */
static void show_all(void)
{
	static const char *const all[] = { "file", "directory", "full", "link", "dangling", "loop", "tolink", "fifo", "socket",
	    "missing", "other", "nowhere", "todirectory", "new", "full/in", "full/new", "directory/new" };
	struct stat status;

	for (unsigned i = 0; changed && i < sizeof all / sizeof all[0]; i++)
		if (lstat(all[i], &status) < 0)
			printf(" -");
		else
			printf(" %o.%d", status.st_mode, (int)status.st_nlink * !S_ISDIR(status.st_mode));
	putchar('\n');
}

static void opening(void)
{
	static const int flags[] = { 0, O_CREAT, O_CREAT | O_EXCL, O_TRUNC, O_DIRECTORY, O_NOFOLLOW, O_PATH, O_PATH | O_NOFOLLOW,
	    O_APPEND | O_NONBLOCK, O_CREAT | O_NOFOLLOW, O_DIRECTORY | O_NOFOLLOW, O_PATH | O_DIRECTORY, O_CREAT | O_TRUNC,
	    O_TMPFILE, O_TMPFILE | O_EXCL, O_NOATIME, O_SYNC | O_CLOEXEC, O_ASYNC | 0x80000000 };

	for (unsigned f = 0; f < sizeof flags / sizeof flags[0]; f++)
		for (int i = 0; i < PATHS; i++) {
			make_all();
			printf("open %s %x:", paths[i], flags[f]);
			for (int mode = 0; mode < 4; mode++) {
				int fd = open(paths[i], flags[f] | mode | O_NONBLOCK, 0640), before = changed;
				say(fd);
				if (!(flags[f] & (O_CREAT | O_TRUNC)))
					changed = before;
				if (fd >= 0) {
					struct stat status;
					fstat(fd, &status);
					printf(" %x %x %o %d", fcntl(fd, F_GETFL), fcntl(fd, F_GETFD), status.st_mode, S_ISREG(status.st_mode) ? (int)status.st_nlink : 0);
				}
				close(fd);
			}
			if (flags[f] & (O_CREAT | O_TRUNC))
				show_all();
			else
				putchar('\n');
		}
}

static void renaming(void)
{
	static const int froms[] = { 0, 1, 2, 3, 4, 7, 9, 10, 11, 12, 13, 15, 16, 18, 19, 21, 22, 23, 28 };

	for (int flags = 0; flags < 4; flags++)
		for (unsigned from = 0; from < sizeof froms / sizeof froms[0]; from++) {
			if (flags > 2 && from)
				continue;
			for (int to = 0; to < 24; to++) {
				make_all();
				printf("rename %d %s %s", flags, paths[froms[from]], paths[to]);
				say(syscall(SYS_renameat2, AT_FDCWD, paths[froms[from]], AT_FDCWD, paths[to], flags));
				show_all();
			}
		}
	make_all();
	say(rename("full", "full/new"));
	say(rename("full", "full/in/new"));
	say(rename("full/in", "full"));
	say(rename("file", "/dev/null"));
	say(rename("file", "/proc/self/new"));
	show_all();
}

static void linking(void)
{
	for (int from = 0; from < PATHS - 1; from++)
		for (int way = 0; way < 5; way++) {
			static const char *const tos[] = { "new", "file", "full/new", "missing/new", "new/" };
			make_all();
			printf("link %s %s", paths[from], tos[way]);
			say(link(paths[from], tos[way]));
			say(linkat(AT_FDCWD, paths[from], AT_FDCWD, "missing", AT_SYMLINK_FOLLOW));
			say(symlink(paths[from], tos[way]));
			say(mkdir(tos[way], 0700));
			say(linkat(AT_FDCWD, paths[from], AT_FDCWD, "new", 1));
			show_all();
		}
	int fd = open("file", O_RDONLY), deleted = open("other", O_RDONLY), unnamed = open(".", O_TMPFILE | O_RDWR, 0600);
	make_all();
	fd = open("file", O_RDONLY), deleted = open("other", O_RDONLY);
	unlink("other");
	say(linkat(fd, "", AT_FDCWD, "new", AT_EMPTY_PATH));
	say(linkat(fd, "", AT_FDCWD, "missing", 0));
	say(linkat(deleted, "", AT_FDCWD, "missing", AT_EMPTY_PATH));
	for (int i = 0; i < 2; i++)
		say(linkat(unnamed, "", AT_FDCWD, i ? "nowhere" : "other", AT_EMPTY_PATH));
	unlink("nowhere");
	unlink("other");
	say(linkat(unnamed, "", AT_FDCWD, "other", AT_EMPTY_PATH));
	close(unnamed);
	unnamed = open("directory", O_TMPFILE | O_RDWR | O_EXCL, 0600);
	say(linkat(unnamed, "", AT_FDCWD, "other", AT_EMPTY_PATH));
	say(linkat(fd, "x", AT_FDCWD, "missing", 0));
	say(linkat(99, "file", AT_FDCWD, "missing", 0));
	show_all();
	close(fd), close(deleted), close(unnamed);
}

static void removing(void)
{
	static const int flags[] = { 0, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR | 1 };

	for (int i = 0; i < PATHS - 1; i++) {
		if (!strcmp(paths[i], "/dev/null"))
			continue;
		for (unsigned f = 0; f < 4; f++) {
			make_all();
			printf("remove %s %d", paths[i], f);
			say(unlinkat(AT_FDCWD, paths[i], flags[f]));
			show_all();
		}
	}
	say(rmdir("/"));
	say(rmdir("/proc"));
	say(unlink("/proc/self/stat"));
	say(mkdir("/proc/new", 0700));
	putchar('\n');
}

static void looking(void)
{
	char text[64], directory[PATH_MAX];
	struct stat status;
	struct statfs system;
	struct statx extended;
	int start = open(".", O_RDONLY | O_DIRECTORY), below = open("full", O_RDONLY), file = open("file", O_RDONLY);

	getcwd(directory, sizeof directory);
	for (int i = 0; i < PATHS; i++) {
		const char *path = paths[i];

		make_all();
		printf("look %s:", path);
		say(stat(path, &status));
		say(lstat(path, &status));
		for (int flags = 0; flags < 0x4000; flags = flags ? flags * 2 : 0x100)
			say(fstatat(AT_FDCWD, path, &status, flags));
		say(syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0x7ff, &extended));
		say(syscall(SYS_statx, AT_FDCWD, path, 0x6000, 0, &extended));
		say(syscall(SYS_statx, AT_FDCWD, path, 0, 1u << 31, &extended));
		say(statfs(path, &system));
		for (int mode = -1; mode < 9; mode++)
			say(access(path, mode));
		for (int flags = 0; flags < 0x2000; flags = flags ? flags * 2 : 0x100)
			say(syscall(439 /* faccessat2 */, AT_FDCWD, path, R_OK, flags));
		memset(text, '.', sizeof text);
		for (int size = -1; size < 8; size += 3) {
			int got = readlink(path, text, size);
			say(got);
			printf("%.*s", got < 0 ? 0 : got, text);
		}
		say(truncate(path, 10));
		say(truncate(path, -1));
		say(chmod(path, i == 25 ? 0666 : 0700));
		say(chmod(path, i == 25 ? 0666 : i == 24 || i == 23 ? 0755 : 0170644));
		say(i > 21 ? 0 : chown(path, -1, -1));
		say(i > 21 ? 0 : lchown(path, -1, -1));
		for (int flags = 0; flags < 0x4000; flags = flags ? flags * 2 : 0x100) {
			say(i > 21 ? 0 : fchownat(AT_FDCWD, path, -1, -1, flags));
			say(i > 21 ? 0 : utimensat(AT_FDCWD, path, (struct timespec[]){ { 5, 5 }, { 6, UTIME_OMIT } }, flags));
		}
		say(utimensat(AT_FDCWD, path, (struct timespec[]){ { 5, UTIME_OMIT }, { 6, UTIME_OMIT } }, 0));
		say(utimensat(AT_FDCWD, path, (struct timespec[]){ { 5, 1000000000 }, { 6, 0 } }, 0));
		say(utimensat(AT_FDCWD, path, (struct timespec[]){ { 5, 0 }, { 6, -1 } }, 0));
		say(mkdir(path, 0700));
		say(mknod(path, 0600, 0));
		say(mkfifo(path, 0600));
		say(symlink("x", path));
		say(symlink("", path));
		say(faccessat(start, path, X_OK, 0));
		say(faccessat(below, path, F_OK, 0));
		say(faccessat(file, path, F_OK, 0));
		say(faccessat(99, path, F_OK, 0));
		say(chroot(path) < 0 ? -1 : chroot("."));
		say(chdir(path));
		fchdir(start);
		putchar('\n');
	}
	say(fchdir(file));
	say(fchdir(99));
	say(getcwd(text, 1) ? 0 : -1);
	say(syscall(SYS_getcwd, directory, strlen(directory)));
	say(syscall(SYS_getcwd, directory, strlen(directory) + 1) < 0 ? -1 : 0);
	putchar('\n');
	close(start), close(below), close(file);
}

/* Names and paths that are too long, by one. */
static void lengths(void)
{
	static char name[300], path[5000];

	for (int size = 254; size < 257; size++) {
		memset(name, 'n', size);
		name[size] = 0;
		printf("name of %d:", size);
		say(close(open(name, O_CREAT | O_WRONLY, 0600)));
		say(mkdir(name, 0700));
		say(symlink("x", name));
		say(rename("file", name));
		say(rename(name, "file"));
		say(unlink(name));
		putchar('\n');
	}
	for (int size = 4094; size < 4098; size++) {
		for (int i = 0; i < size; i++)
			path[i] = i % 2 ? '/' : '.';
		path[size] = 0;
		printf("path of %d:", size);
		say(close(open(path, O_RDONLY)));
		say(access(path, F_OK));
		say(symlink(path, "new"));
		say(unlink("new"));
		say(chdir(path));
		say(truncate(path, 0));
		say(link("file", path));
		putchar('\n');
	}
	make_all();
	for (int depth = 38; depth < 43; depth++) {
		char link_name[20], target[20];

		strcpy(target, "file");
		for (int i = 0; i < depth; i++) {
			sprintf(link_name, "chain%d", i);
			symlink(target, link_name);
			strcpy(target, link_name);
		}
		printf("%d links:", depth);
		say(access(target, F_OK));
		say(close(open(target, O_RDONLY | O_NOFOLLOW)));
		putchar('\n');
		for (int i = 0; i < depth; i++) {
			sprintf(link_name, "chain%d", i);
			unlink(link_name);
		}
	}
	say(open((char *)8, O_RDONLY));
	say(access((char *)8, F_OK));
	say(rename("file", (char *)8));
	say(symlink((char *)8, "new"));
	say(readlink("link", (char *)8, 5));
	putchar('\n');
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	umask(022);
	mkdir("inner", 0755);
	chdir("inner");
	make_all();
	opening();
	renaming();
	linking();
	removing();
	looking();
	make_all();
	lengths();
	remove_all();
	chdir("..");
	rmdir("inner");
	return 0;
}
