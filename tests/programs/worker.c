/* Does a little of everything that scripts look at, again and again: worker ROUNDS FILE */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int handled;

static void
on_signal(int number)
{
	handled = number;
}

static void
connect_nowhere(void)
{
	struct sockaddr_in place = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&place, sizeof (place)) == 0)
		exit(3);
	close(fd);
}

static void
use_files(const char *path)
{
	struct stat status;
	char text[64];
	int in = open(path, O_RDONLY), out = open("/dev/null", O_WRONLY), new;
	ssize_t size = in >= 0 ? read(in, text, sizeof (text)) : 0;

	new = open("/tmp/made", O_CREAT | O_WRONLY, 0600);
	if (write(out, text, size > 0 ? size : 1) < 0 || write(new, "made\n", 5) != 5)
		exit(4);
	close(in);
	close(out);
	close(new);
	stat(path, &status);
	open("/no/such/file", O_RDONLY);
}

int
main(int argc, char **argv)
{
	struct timespec pause = { 0, 3000000 };
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	volatile int work;
	pid_t child;
	char *page;

	signal(SIGUSR1, on_signal);
	while (rounds-- > 0) {
		use_files(argc > 2 ? argv[2] : "/etc/passwd");
		connect_nowhere();
		if (argc > 3) {		/* a child that does the same once, as another program */
			child = fork();
			if (child == 0) {
				execl("/proc/self/exe", "worker", "1", argv[2], NULL);
				_exit(5);
			}
			kill(child, 0);
			waitpid(child, NULL, 0);
		}
		kill(getpid(), SIGUSR1);
		page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		page[0] = page[4096] = 1;
		munmap(page, 8192);
		for (work = 0; work < 20000; work++)
			;
		nanosleep(&pause, NULL);
	}
	return 0;
}
