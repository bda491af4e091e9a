#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	for (;;) {
		usleep(1000);
		if (fork() == 0)
			_exit(3);
		wait(0);
	}
}
