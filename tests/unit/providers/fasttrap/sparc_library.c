/* What the C library does on SPARC in ways of its own: contexts, signals, files, reading ahead in strings. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf outer;
static sigjmp_buf before;

static int deep(int n)
{
	char pad[64];

	memset(pad, n, sizeof pad);
	if (n == 0)
		longjmp(outer, 42);
	return deep(n - 1) + pad[3];
}

static void handler(int number) { siglongjmp(before, number == SIGUSR1 ? 7 : 8); }

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void jumps(void)
{
	sigset_t mask;
	double kept = 0.5;
	int result = setjmp(outer);

	if (result == 0)
		deep(20);
	printf("longjmp %d %.1f\n", result, kept);
	signal(SIGUSR1, handler);
	result = sigsetjmp(before, 1);
	if (result == 0)
		raise(SIGUSR1);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	printf("signal %d, blocked %d\n", result, sigismember(&mask, SIGUSR1));
}

static void memory(void)
{
	static int values[1000];
	unsigned seed = 1;
	char *big = malloc(200000), *copy = malloc(200001);

	for (int i = 0; i < 1000; i++)
		values[i] = (seed = seed * 1103515245 + 12345) >> 8 & 0xffff;
	qsort(values, 1000, sizeof values[0], compare);
	for (int i = 0; i < 200000; i++)
		big[i] = i * 7;
	memcpy(copy, big, 200000);
	memmove(copy + 1, copy, 100000);
	printf("sorted %d %d %d, copied %d\n", values[0], values[500], values[999], memcmp(big, copy + 1, 100000));
	printf("%s %d %zu %g %Lg\n", strstr("hello world", "wor"), strcmp("abc", "abd"), strlen("four"), sqrt(atof("6.25")),
	    (long double)1.5);
}

static void files(void)
{
	struct stat status;
	struct rlimit limit;
	struct dirent *entry;
	DIR *folder;
	char text[10];
	int ends[2], child, total = 0;

	mkdir("/tmp/sparc", 0755);
	fclose(fopen("/tmp/sparc/file", "w"));
	truncate("/tmp/sparc/file", 12345);
	stat("/tmp/sparc/file", &status);
	printf("size %ld mode %o links %d\n", (long)status.st_size, status.st_mode, (int)status.st_nlink);
	folder = opendir("/tmp/sparc");
	while ((entry = readdir(folder)) != NULL)
		total += strlen(entry->d_name) + (entry->d_type == DT_REG);
	printf("names %d, ", total);
	printf("open %d %s\n", open("/tmp/none", O_RDONLY), strerror(errno));
	pipe(ends);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	printf("flags %d, read %d %s\n", fcntl(ends[0], F_GETFL) == O_NONBLOCK, (int)read(ends[0], text, 1),
	    strerror(errno));
	fflush(stdout);
	if (fork() == 0) {
		write(ends[1], "hi", 2);
		_exit(7);
	}
	wait(&child);
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("child %d, read %d, files %d\n", WEXITSTATUS(child), (int)read(ends[0], text, 10), (int)limit.rlim_cur);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static long total, left = 3;

static void *add(void *amount)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&mutex);
		total += (long)amount;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	left--;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void threads(void)
{
	struct pollfd wanted = { 0 };
	pthread_t made[3];
	int ends[2], before;

	for (long i = 0; i < 3; i++)
		pthread_create(&made[i], NULL, add, (void *)(i + 1));
	pthread_mutex_lock(&mutex);
	while (left > 0)
		pthread_cond_wait(&ended, &mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_join(made[i], NULL);
	pipe(ends);
	wanted = (struct pollfd){ ends[0], POLLIN };
	before = poll(&wanted, 1, 10);
	write(ends[1], "x", 1);
	printf("total %ld, poll %d %d %d\n", total, before, poll(&wanted, 1, 10), wanted.revents);
}

int main(void)
{
	jumps();
	memory();
	files();
	threads();
	return 3;
}
