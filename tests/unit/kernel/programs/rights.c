/* Reading, writing and executing pages of a file with each protection, also beyond its end, touched before or not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, READ, WRITE, CALL };

static sigjmp_buf after;

static void caught(int number, siginfo_t *info, void *context)
{
	printf(" signal %d, %d;", number, info->si_code);
	siglongjmp(after, 1);
}

static void access_page(volatile char *page, int how)
{
	if (sigsetjmp(after, 1))
		return;
	if (how == READ)
		*page;
	else if (how == WRITE)
		*page = 'w';
	else
		((void (*)(void))page)();
	printf(" fine;");
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO };
	int file = open("mapped", O_RDWR | O_CREAT, 0600);

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	ftruncate(file, PAGE + 100);
	for (int kind = MAP_SHARED; kind <= MAP_PRIVATE; kind++)
		for (int prot = 0; prot < 8; prot++)
			/* Code alone cannot be read where the processor has protection keys. */
			for (int page = prot == PROT_EXEC ? 3 : 0; page < 3; page++)
				for (int how = READ; how <= CALL; how++)
					for (int touched = 0; touched < 2; touched++) {
						char *at = mmap(NULL, 3 * PAGE, PROT_READ, kind, file, 0);
						if (touched)
							access_page(at + page * PAGE, READ);
						mprotect(at, 3 * PAGE, prot);
						printf(" %d, %d of page %d, %d:", kind, prot, page, how);
						if (how != CALL || !(prot & PROT_EXEC) || page == 2)
							access_page(at + page * PAGE, how);
						putchar('\n');
						munmap(at, 3 * PAGE);
					}
	unlink("mapped");
	return 0;
}
