/* What inotify tells of files and directories that are made, written, renamed and removed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *names[] = { "access", "modify", "attrib", "close_write", "close_nowrite", "open", "moved_from",
	"moved_to", "create", "delete", "delete_self", "move_self" };
static int watcher;

static void drain(const char *what)
{
	char buffer[4096] __attribute__((aligned(8)));
	unsigned cookie = 0;
	ssize_t size;

	printf("%s:", what);
	while ((size = read(watcher, buffer, sizeof buffer)) > 0) {
		for (char *at = buffer; at < buffer + size;) {
			struct inotify_event *event = (struct inotify_event *)at;

			printf(" %d", event->wd);
			for (int bit = 0; bit < 12; bit++)
				if (event->mask & 1u << bit)
					printf("-%s", names[bit]);
			if (event->mask & IN_ISDIR)
				printf("-dir");
			if (event->mask & IN_IGNORED)
				printf("-ignored");
			if (event->len)
				printf("(%s)", event->name);
			if (event->mask & IN_MOVED_TO)
				printf(event->cookie == cookie ? "=pair" : "=alone");
			else if (!event->cookie != !(event->mask & IN_MOVED_FROM))
				printf("=cookie %u", event->cookie);
			cookie = event->cookie;
			at += sizeof *event + event->len;
		}
	}
	printf(" %s\n", strerror(errno));
}

static void append(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_APPEND);

	write(file, text, strlen(text));
	close(file);
}

int main(void)
{
	char buffer[64], small[8];
	int directory, file, held, size;
	struct pollfd waiting;

	setvbuf(stdout, NULL, _IONBF, 0);
	mkdir("d", 0755);
	watcher = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	directory = inotify_add_watch(watcher, "d", IN_ALL_EVENTS);
	printf("watch %d\n", directory);
	file = open("d/new", O_CREAT | O_RDWR, 0644);
	write(file, "hello", 5);
	write(file, "hello", 5);
	lseek(file, 0, SEEK_SET);
	read(file, buffer, 3);
	read(file, buffer, 64);
	read(file, buffer, 64);
	close(file);
	ioctl(watcher, FIONREAD, &size);
	printf("waiting %d, too small %zd", size, read(watcher, small, 8));
	printf(" %s\n", strerror(errno));
	drain("written");
	printf("second watch %d\n", inotify_add_watch(watcher, "d/new", IN_ALL_EVENTS));
	append("d/new", "more");
	chmod("d/new", 0600);
	truncate("d/new", 2);
	link("d/new", "d/other");
	unlink("d/other");
	drain("changed");
	rename("d/new", "d/newer");
	drain("renamed");
	mkdir("d/sub", 0700);
	rmdir("d/sub");
	symlink("x", "d/link");
	unlink("d/link");
	drain("names");
	close(open("d/victim", O_CREAT | O_WRONLY, 0644));
	drain("victim");
	rename("d/newer", "d/victim");
	drain("replaced");
	mkdir("d/sub", 0700);
	syscall(SYS_renameat2, AT_FDCWD, "d/sub", AT_FDCWD, "d/victim", 2 /* RENAME_EXCHANGE */);
	drain("exchanged");
	syscall(SYS_renameat2, AT_FDCWD, "d/sub", AT_FDCWD, "d/victim", 2);
	rmdir("d/sub");
	drain("and back");
	held = open("d/victim", O_RDONLY);
	unlink("d/victim");
	drain("unlinked, still open");
	close(held);
	drain("gone");
	printf("removed %d", inotify_rm_watch(watcher, 2));
	printf(" %s\n", strerror(errno));
	printf("changed to %d\n", inotify_add_watch(watcher, "d", IN_CREATE | IN_ONESHOT));
	close(open("d/a", O_CREAT | O_WRONLY, 0644));
	close(open("d/b", O_CREAT | O_WRONLY, 0644));
	drain("one shot");
	printf("no directory %d", inotify_add_watch(watcher, "d/a", IN_MODIFY | IN_ONLYDIR));
	printf(" %s\n", strerror(errno));
	file = inotify_add_watch(watcher, "d/a", IN_CLOSE_WRITE);
	printf("watch %d\n", file);
	if (fork() == 0) {
		usleep(10000);
		append("d/a", "from another process");
		_exit(0);
	}
	waiting.fd = watcher, waiting.events = POLLIN;
	printf("poll %d\n", poll(&waiting, 1, 5000));
	drain("polled");
	wait(NULL);
	inotify_rm_watch(watcher, file);
	drain("ended");
	unlink("d/a");
	unlink("d/b");
	directory = inotify_add_watch(watcher, "d", IN_DELETE_SELF);
	rmdir("d");
	drain("directory");
	mkdir("d", 0700);
	for (int each = 0; each < 2; each++) {
		directory = inotify_add_watch(watcher, "d", IN_ALL_EVENTS | (each ? IN_EXCL_UNLINK : 0));
		file = open("d/a", O_RDWR | O_CREAT, 0600), write(file, "x", 1), unlink("d/a"), write(file, "y", 1);
		pread(file, buffer, 1, 0), close(file), inotify_rm_watch(watcher, directory);
		drain(each ? "without a name, not told" : "without a name");
	}
	rmdir("d");
	return 0;
}
