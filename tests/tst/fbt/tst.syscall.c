#include <sys/ioctl.h>
#include <unistd.h>

int main(void)
{
	int ends[2], waiting;

	pipe(ends);
	for (;;) {
		usleep(1000);
		ioctl(ends[0], FIONREAD, &waiting);
	}
}
