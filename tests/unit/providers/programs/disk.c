/* Reads all of a file of 256 KiB, writes 100000 bytes of another, maps the third. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static char buffer[100000];

static void touch(volatile char *pages, int count, int distance)
{
	for (int i = 0; i < count; i++)
		pages[i * distance] = pages[i * distance] + 1;
}

static void look(volatile char *pages, int count, int distance)
{
	for (int i = 0; i < count; i++)
		(void)pages[i * distance];
}

int main(int argc, char **argv)
{
	int in, out, map;
	char *pages, *file;

	if (argc != 4)
		return 2;
	in = open(argv[1], O_RDONLY);
	while (read(in, buffer, 65536) > 0)
		;
	out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	write(out, buffer, sizeof (buffer));
	fsync(out);
	map = open(argv[3], O_RDONLY);
	file = mmap((void *)0x10000000, 262144, PROT_READ, MAP_PRIVATE | MAP_FIXED, map, 0);
	pages = mmap((void *)0x20000000, 10 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	getppid();				/* marks */
	touch(pages, 10, PAGE);
	getppid();
	look(file, 4, 65536);
	getppid();
	if (vfork() == 0)
		_exit(0);
	if (fork() == 0) {
		getppid();
		touch(pages, 10, PAGE);
		getppid();
		_exit(0);
	}
	wait(NULL);
	wait(NULL);
	return 0;
}
