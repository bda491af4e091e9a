#include <unistd.h>

__attribute__((noinline)) int
told(void *place)
{
	return (place != 0);
}

int
main(void)
{
	for (;;) {
		told((char *)told + 2);
		usleep(1000);
	}
}
