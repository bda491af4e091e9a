/* Keeps a text and a file's bytes in memory, and works and sleeps by turns:
   secret TEXT FILE ROUNDS [WORK [NANOSECONDS]] */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

char message[64];
char contents[64];

int
main(int argc, char **argv)
{
	struct timespec pause = { 0, 3000000 };
	volatile int work;
	int rounds, file, most = argc > 4 ? atoi(argv[4]) : 10000;

	if (argc < 4)
		return 2;
	if (argc > 5)
		pause.tv_nsec = atoi(argv[5]);
	strncpy(message, argv[1], sizeof (message) - 1);
	for (rounds = atoi(argv[3]); rounds > 0; rounds--) {
		file = open(argv[2], O_RDONLY);
		if (file >= 0 && read(file, contents, sizeof (contents) - 1) < 0)
			return 1;
		for (work = 0; work < most; work++)
			;
		close(file);
		nanosleep(&pause, NULL);
	}
	return 0;
}
