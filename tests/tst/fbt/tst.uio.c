#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	int file = open("/tmp/gathered", O_WRONLY | O_CREAT, 0600);
	struct iovec parts[2] = { { "first", 5 }, { "second", 6 } };

	for (;;) {
		usleep(1000);
		writev(file, parts, 2);
	}
}
