/* Code that changes: what runs is always what was written last, and writing data harms nobody. */
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 16, PAGE = 4096 };

/* mov $1,%eax; ret */
static unsigned char one[] = {0xb8, 1, 0, 0, 0, 0xc3};

static int run(void *code)
{
	return ((int (*)(void))code)();
}

int main(void)
{
	int memory = open("/proc/self/mem", O_RDWR), pipes[2];
	char *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char data[8] = "old";

	setvbuf(stdout, NULL, _IONBF, 0);
	memcpy(code, one, sizeof one);
	mprotect(code, PAGE, PROT_READ | PROT_EXEC);
	printf("written: %d\n", run(code));

	mprotect(code, PAGE, PROT_READ | PROT_WRITE);
	pipe(pipes);
	one[1] = 2;
	write(pipes[1], one, sizeof one);
	read(pipes[0], code, sizeof one);
	mprotect(code, PAGE, PROT_READ | PROT_EXEC);
	printf("read: %d\n", run(code));

	one[1] = 3;
	pwrite(memory, one, sizeof one, (off_t)(unsigned long)code);
	printf("patched: %d\n", run(code));

	memory = open("/proc/thread-self/mem", O_RDWR);
	pwrite(memory, "new", 4, (off_t)(unsigned long)data);
	for (int at = PAGE; at < SIZE; at += PAGE)
		code[at] = 1; /* page faults go on as before */
	printf("data: %s\n", data);
	return 0;
}
