/* Processes, threads, signals and faults in known numbers. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static void handler(int number) { (void)number; }
static void bounce(int number) { (void)number; siglongjmp(back, 1); }
static void *thread(void *argument) { return argument; }

int main(void)
{
	static char *const none[] = { "none", NULL }, *const true_[] = { "true", NULL };
	pthread_t other;
	sigset_t set;

	for (int i = 0; i < 3; i++) {			/* three children that exit */
		if (fork() == 0)
			_exit(i);
		wait(NULL);
	}
	if (fork() == 0)				/* one is killed */
		kill(getpid(), SIGKILL);
	wait(NULL);
	if (fork() == 0) {				/* one executes two programs, of which one is there */
		execv("/no/such/program", none);
		execv("/bin/true", true_);
	}
	wait(NULL);
	pthread_create(&other, NULL, thread, NULL);	/* one thread */
	pthread_join(other, NULL);

	signal(SIGUSR1, handler);			/* handled twice */
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	signal(SIGUSR2, SIG_IGN);			/* ignored once */
	kill(getpid(), SIGUSR2);
	sigemptyset(&set);				/* taken once */
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGTERM);
	sigwaitinfo(&set, NULL);
	signal(SIGSEGV, bounce);			/* one fault, handled */
	if (!sigsetjmp(back, 1))
		*(volatile char *)0x123 = 1;
	return 9;
}
