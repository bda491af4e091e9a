#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	for (;;) {
		close(open("/tmp/tst.ufs.file", O_WRONLY | O_CREAT, 0600));
		close(open("/tmp/tst.ufs.file", O_RDONLY));
		unlink("/tmp/tst.ufs.file");
		usleep(1000);
	}
}
