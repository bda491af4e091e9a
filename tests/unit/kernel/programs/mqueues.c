/* POSIX message queues: what they take and give in which order, who waits, and who is told. */
#include "portable.h"
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

static char name[64], text[9000];
static sem_t told;

static void status(mqd_t queue)
{
	struct mq_attr now = { 0 };
	struct pollfd file = { queue, POLLIN | POLLOUT };
	char line[99];

	say(mq_getattr(queue, &now)), say(now.mq_flags), say(now.mq_maxmsg), say(now.mq_msgsize);
	say(now.mq_curmsgs), say(poll(&file, 1, 0)), say(file.revents);
	memset(line, 0, sizeof line), say(pread(queue, line, 98, 0)), strtok(line, "P"), printf(" %s\n", line);
}

static void get(mqd_t queue, int size)
{
	unsigned priority = 77;

	memset(text, 0, sizeof text), say(mq_receive(queue, text, size, &priority));
	printf(" %.9s/%u", text, priority);
}

static void names(void)
{
	struct mq_attr wrong = { 0, 0, 10 }, large = { 0, 10, 1 << 25 }, small = { 0, 3, 16 };
	char big[300];
	mqd_t queue;

	say(mq_open(name, O_RDWR)), say(mq_unlink(name)), say(mq_open("/", O_RDWR)), say(mq_open("/a/b", O_RDWR));
	memset(big, 'x', sizeof big), big[0] = '/', big[299] = 0, say(mq_open(big, O_RDWR));
	say(mq_open(name, O_RDWR | O_CREAT, 0600, &wrong)), say(mq_open(name, O_RDWR | O_CREAT, 0600, &large));
	queue = mq_open(name, O_RDWR | O_CREAT, 0642, &small), status(queue);
	say(fcntl(queue, F_GETFD)), say(mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL));
	say(mq_close(queue)), say(mq_close(queue)), say(mq_close(0) == mq_close(0));
	queue = mq_open(name, O_RDONLY | O_CREAT, 0600, &large), say(mq_send(queue, "a", 1, 0)), status(queue);
	mq_close(queue), say(mq_unlink(name)), say(mq_unlink(name));
	queue = mq_open(name, O_WRONLY | O_CREAT, 0600, NULL), status(queue), get(queue, 8192);
	mq_close(queue), mq_unlink(name);
}

static void order(void)
{
	struct mq_attr few = { 0, 4, 16 }, waits = { O_NONBLOCK }, other = { O_APPEND };
	struct timespec past = { 1, 0 }, wrong = { 1, -1 };
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &few);

	say(mq_send(queue, "first", 5, 1)), say(mq_send(queue, "urgent", 6, 32767)), say(mq_send(queue, "x", 1, 32768));
	say(mq_send(queue, "second", 6, 1)), say(mq_send(queue, "", 0, 2)), say(mq_send(queue, "full", 4, 0));
	say(mq_send(queue, text, 17, 0)), status(queue), get(queue, 15);
	for (int each = 0; each < 5; each++)
		get(queue, 16);
	say(mq_setattr(queue, &other, NULL)), few.mq_flags = 0, say(mq_setattr(queue, &few, &waits));
	say(waits.mq_flags), status(queue), say(mq_timedreceive(queue, text, 16, NULL, &past));
	say(mq_timedreceive(queue, text, 16, NULL, &wrong)), say(mq_timedsend(queue, "a", 1, 0, &wrong));
	say(mq_timedsend(queue, "a", 1, 0, &past)), say(mq_timedsend(0, "a", 1, 0, &past)), get(queue, 16);
	say(mq_send(queue, (char *)1, 4, 0)), mq_close(queue), mq_unlink(name);
}

static void quiet(int signal)
{
}

static void waiting(void)
{
	struct mq_attr one = { 0, 1, 16 };
	struct sigaction action = { .sa_handler = quiet };
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, &one);
	int child = fork();

	if (!child) {
		usleep(50000), mq_send(queue, "one", 3, 1), mq_send(queue, "two", 3, 2), mq_send(queue, "three", 5, 3);
		_exit(0);
	}
	get(queue, 16), usleep(100000), get(queue, 16), get(queue, 16), waitpid(child, NULL, 0), status(queue);
	sigaction(SIGALRM, &action, NULL), ualarm(20000, 0), get(queue, 16);
	mq_close(queue), mq_unlink(name);
}

static void note(int number, siginfo_t *about, void *context)
{
	printf(" <%d %d %d %d>", number, about->si_code, about->si_value.sival_int, about->si_pid == getpid());
}

static void call(union sigval value)
{
	printf(" called %d", value.sival_int), sem_post(&told);
}

static void notices(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5 };
	struct sigevent thread = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = call,
				   .sigev_value.sival_int = 6 };
	struct sigevent wrong = { .sigev_notify = 99 }, bad = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 99 };
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, NULL), again = mq_open(name, O_RDONLY);
	int child, end;

	sigaction(SIGUSR1, &action, NULL), say(mq_notify(queue, &wrong)), say(mq_notify(queue, &bad));
	say(mq_notify(0, &event)), say(mq_notify(queue, NULL)), say(mq_notify(queue, &event));
	say(mq_notify(again, &event)), status(queue), say(mq_send(queue, "a", 1, 0)), say(mq_send(queue, "b", 1, 0));
	get(queue, 8192), get(queue, 8192), say(mq_send(queue, "c", 1, 0)), get(queue, 8192), putchar('\n');
	say(mq_notify(queue, &event)), say(mq_notify(queue, NULL)), say(mq_send(queue, "d", 1, 0)), get(queue, 8192);
	say(mq_notify(queue, &event)), mq_close(again), say(mq_notify(queue, &event)), fflush(stdout);
	if (!(child = fork()))
		_exit(mq_notify(queue, &event) < 0 ? errno : 0);
	waitpid(child, &end, 0), say(end), say(mq_notify(queue, NULL)), putchar('\n');
#ifdef __GLIBC__
	sem_init(&told, 0, 0), say(mq_notify(queue, &thread)), say(mq_send(queue, "e", 1, 0)), sem_wait(&told);
#endif
	mq_close(queue), mq_unlink(name);
}

static void room(void)
{
	struct rlimit limit = { 90000, 90000 };
	struct stat about;
	mqd_t queue, other;

	setrlimit(RLIMIT_MSGQUEUE, &limit), queue = mq_open(name, O_RDWR | O_CREAT, 0600, NULL), say(queue > 0);
	strcat(name, "2"), say(mq_open(name, O_RDWR | O_CREAT, 0600, NULL)), name[strlen(name) - 1] = 0;
	say(fstat(queue, &about)), printf(" %o %d %d", about.st_mode, (int)about.st_size, (int)about.st_nlink);
	mq_unlink(name), mq_close(queue), other = mq_open(name, O_RDWR | O_CREAT, 0600, NULL), say(other > 0);
	mq_close(other), mq_unlink(name), putchar('\n');
}

int main(void)
{
	snprintf(name, sizeof name, "/mqueues-%d", getpid()), umask(022), close(0), open(".", O_RDONLY);
	names(), order(), waiting(), notices(), room();
	return 0;
}
