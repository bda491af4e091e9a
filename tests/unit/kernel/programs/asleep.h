/* Waiting until another process waits, or has ended, where no call tells so. */
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static void until_asleep(pid_t pid)
{
	char name[32], state = 0;

	for (sprintf(name, "/proc/%d/stat", pid); state != 'S' && state != 'Z'; usleep(1000)) {
		FILE *file = fopen(name, "r");
		fscanf(file, "%*d (%*[^)]) %c", &state), fclose(file);
	}
}
