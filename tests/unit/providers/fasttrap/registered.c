/*
 * Registers DOF for itself, as libraries do that make probes while a program runs: its probes stand in
 * anonymous memory at CODE, one function of two instructions (nothing, return) every STEP bytes.
 *
 *	registered WORD ...
 *	+MODULE=FILE	register the DOF in FILE, as that module's; its generation is written, or -errno
 *	=		register the same DOF again
 *	-GENERATION	take one back
 *	!N,VALUE	call function N with VALUE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define	CODE	((char *)0x70000000)
#define	STEP	16

struct helper {
	char module[64];
	unsigned long long base, dof;
};

int main(int argc, char **argv)
{
#ifdef __aarch64__
	const unsigned code[] = { 0xd503201f, 0xd65f03c0 };
#else
	const unsigned char code[] = { 0x90, 0xc3 };
#endif
	struct helper helper = { "" };
	char *place = mmap(CODE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int device = open("/dev/dtrace/helper", O_RDWR), n;

	if (place != CODE || device < 0)
		return 1;
	for (n = 0; n < 4096 / STEP; n++)
		memcpy(place + n * STEP, code, sizeof code);
	__builtin___clear_cache(place, place + 4096);
	for (n = 1; n < argc; n++) {
		char *word = argv[n] + 1;

		if (argv[n][0] == '+') {
			char *file = strchr(word, '=') + 1;
			int fd = open(file, O_RDONLY);

			memset(&helper, 0, sizeof helper);
			memcpy(helper.module, word, file - 1 - word);
			helper.dof = (unsigned long)malloc(1 << 20);
			if (read(fd, (void *)(unsigned long)helper.dof, 1 << 20) <= 0)
				return 1;
			close(fd);
		}
		if (argv[n][0] == '+' || argv[n][0] == '=') {
			int generation = ioctl(device, 0x64746803, &helper);

			printf("%d\n", generation < 0 ? -errno : generation);
		} else if (argv[n][0] == '-') {
			printf("%d\n", ioctl(device, 0x64746802, atol(word)));
		} else {
			char *value = strchr(word, ',');

			((void (*)(long))(place + atoi(word) * STEP))(atol(value + 1));
		}
	}
	fflush(stdout);
	return 0;
}
