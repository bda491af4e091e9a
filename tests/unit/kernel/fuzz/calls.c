/* System calls with arguments that make little sense.  For the emulated machine only: natively it could do
 * harm.  usage: calls SEED COUNT */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

static unsigned long state;

static unsigned long draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static char *memory;

/* calls that end, replace, stop or multiply the program, unmap what it stands on, or block the alarm */
static int left_out(long number)
{
	static const int numbers[] = { SYS_exit, SYS_exit_group, SYS_clone, SYS_clone3,
	    SYS_execve, SYS_execveat, SYS_kill, SYS_tkill, SYS_tgkill, SYS_munmap, SYS_mmap, SYS_mprotect,
	    SYS_mremap, SYS_madvise, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_brk,
	    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_set_robust_list, SYS_prctl,
	    SYS_pidfd_send_signal, SYS_setitimer, SYS_set_tid_address, SYS_sigaltstack, SYS_rseq,
	    SYS_setrlimit, SYS_prlimit64, SYS_timer_create, SYS_timer_settime,
	    SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_ppoll, SYS_pselect6, SYS_epoll_pwait, 441,
#ifdef __x86_64__
	    SYS_fork, SYS_vfork, SYS_arch_prctl, SYS_alarm,
#endif
	};

	for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i] == number)
			return 1;
	return 0;
}

static unsigned long argument(void)
{
	static const char *paths[] = { "/etc/passwd", ".", "/", "", "a", "b/c", "/proc/self/fd/3", "/dev/zero",
	    "/proc/self", "link", "/dev/full", "/nonexistent/x", "/proc/self/maps", "fifo" };

	switch (draw() % 12) {
	case 0: return 0;
	case 1: return draw() % 24;
	case 2: return draw() % 24;
	case 3: return -1UL - draw() % 120;
	case 4: return (unsigned long)paths[draw() % (sizeof paths / sizeof paths[0])];
	case 5: return (unsigned long)memory + draw() % 4000;
	case 6: return (unsigned long)memory + 8192 - draw() % 64;
	case 7: return 1UL << draw() % 64;
	case 8: return draw();
	case 9: return draw() % 5000;
	case 10: return 0xdead0000UL;
	default: return (unsigned long)memory;
	}
}

static void interrupt(int number) { }

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = interrupt };
	long count = atol(argv[2]), failed = 0;
	int fds[2];

	state = strtoul(argv[1], NULL, 0) * 2654435761UL + 88172645463325252UL;
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	memory = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(memory + 8192, 4096, PROT_NONE);
	close(0);
	for (long i = 0; i < count; i++) {
		long number = draw() % 452;
		unsigned long a = argument(), b = argument(), c = argument(), d = argument(), e = argument(),
		    f = argument();

		if (left_out(number))
			continue;
		if (i % 50 == 0) {  /* something to work on */
			for (int fd = 3; fd < 24; fd++)
				close(fd);
			pipe(fds);
			socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
			socket(AF_INET, SOCK_DGRAM, 0);
			socket(AF_INET6, SOCK_STREAM, 0);
			open("/etc/services", O_RDONLY);
			open("a", O_RDWR | O_CREAT, 0666);
			open("/proc/self", O_RDONLY | O_DIRECTORY);
			epoll_create1(0);
			eventfd(3, 0);
			open("/dev/urandom", O_RDWR);
			open("/dev/tty", O_RDWR);
			syscall(SYS_timerfd_create, 1, 0);
			syscall(SYS_memfd_create, "m", 0);
			for (int k = 0; k < 8192; k += 8)
				*(unsigned long *)(memory + k) = draw() % 3 ? draw() % 24 : argument();
		}
		ualarm(20000, 0);
		failed += syscall(number, a, b, c, d, e, f) < 0;
		ualarm(0, 0);
	}
	dprintf(2, "%ld\n", failed);
	_exit(17);
}
