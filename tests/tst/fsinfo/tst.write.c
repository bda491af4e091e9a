#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	int file = open("/tmp/counted", O_WRONLY | O_CREAT, 0600);

	for (;;) {
		usleep(1000);
		write(file, "7 bytes", 7);
	}
}
