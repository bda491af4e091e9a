#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	int file = open("/tmp/interrupting", O_WRONLY | O_CREAT, 0600);

	for (;;) {
		usleep(1000);
		pwrite(file, "some bytes", 10, 0);
		fsync(file);
	}
}
