#include <fcntl.h>
#include <unistd.h>

int
main(void)
{
	int fd = open("/tmp/tst.fsflush.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	(void) write(fd, "data", 4);
	(void) pause();
	return (0);
}
