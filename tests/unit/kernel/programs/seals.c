/* Seals of files without a name, and what they still allow. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

#define NOEXEC_SEAL 8
#define EXEC 16

static char bytes[8192];

static void add(int fd, int seals)
{
	say(fcntl(fd, F_ADD_SEALS, seals));
	say(fcntl(fd, F_GET_SEALS));
}

static char *map(int fd, int rights, int kind)
{
	char *place = mmap(NULL, 4096, rights, kind, fd, 0);

	say(place == MAP_FAILED ? -1 : 0);
	return place;
}

static void others(void)
{
	int ends[2], fd = memfd_create("closed", 0);

	add(fd, F_SEAL_SEAL), add(77, F_SEAL_SEAL);
	pipe(ends), add(ends[0], F_SEAL_SEAL), add(ends[1], F_SEAL_SEAL);
	add(memfd_create("a", NOEXEC_SEAL), 0), add(memfd_create("a", EXEC), 0);
	add(memfd_create("a", EXEC | MFD_ALLOW_SEALING), F_SEAL_SEAL << 5);
	say(memfd_create("a", NOEXEC_SEAL | EXEC)), say(memfd_create("a", 0x20));
}

static void sizes(void)
{
	int fd = memfd_create("sized", MFD_ALLOW_SEALING);

	say(write(fd, bytes, 5000)), add(fd, F_SEAL_SHRINK), say(ftruncate(fd, 4000)), say(ftruncate(fd, 6000));
	add(fd, F_SEAL_GROW), say(ftruncate(fd, 7000)), say(ftruncate(fd, 6000)), say(ftruncate(fd, 5000));
	say(pwrite(fd, bytes, 1000, 5500)), say(pwrite(fd, bytes, 500, 5500)), say(pwrite(fd, bytes, 10, 6000));
	say(pwrite(fd, bytes, 8192, 0)), say(pwrite(fd, bytes, 0, 9000));
	say(fallocate(fd, 0, 0, 9000)), say(fallocate(fd, 0, 0, 100));
	say(fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096)), add(fd, 0x1000);
	add(fd, F_SEAL_SEAL), add(fd, F_SEAL_WRITE);
}

static void writing(void)
{
	int fd = memfd_create("written", MFD_ALLOW_SEALING);
	char *place;

	write(fd, bytes, 4096), place = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	add(fd, F_SEAL_WRITE), munmap(place, 4096), add(fd, F_SEAL_WRITE);
	map(fd, PROT_READ | PROT_WRITE, MAP_SHARED), place = map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	place[0] = 3, say(place[0]), munmap(place, 4096);
	say(write(fd, bytes, 1)), say(pwrite(fd, bytes, 0, 0)), say(ftruncate(fd, 8192));
	say(fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096)), say(fallocate(fd, 0, 0, 100));
}

static void writing_later(void)
{
	int fd = memfd_create("later", MFD_ALLOW_SEALING), again;
	char *place, path[64];

	write(fd, bytes, 4096), place = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	add(fd, F_SEAL_FUTURE_WRITE), place[0] = 7, say(pread(fd, bytes, 1, 0)), say(bytes[0]);
	say(pwrite(fd, bytes, 1, 0)), map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	say(mprotect(place, 4096, PROT_READ)), say(mprotect(place, 4096, PROT_READ | PROT_WRITE));
	add(fd, F_SEAL_WRITE);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd), again = open(path, O_RDONLY);
	add(again, F_SEAL_SEAL), add(fd, F_SEAL_SHRINK), say(open(path, O_RDWR | O_TRUNC));
}

int main(void)
{
	others(), puts(""), sizes(), puts(""), writing(), puts(""), writing_later(), puts("");
	return 0;
}
