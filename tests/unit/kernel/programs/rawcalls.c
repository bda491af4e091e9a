/* Calls on time, signals, limits, scheduling and the system itself, as the kernel has them, in range and just out of it. */
#include "portable.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BAD ((void *)8)

static void say(long result)
{
	if (result == -1)
		printf(" %s", strerrorname_np(errno));
	else
		printf(" %ld", result);
}

static void clocks(void)
{
	static const long times[][2] = { { 0, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 }, { 0, 1000000000 }, { 0, 999999999 }, { -1, 5 } };
	long value[2];

	for (int clock = -9; clock < 17; clock++) {
		printf("clock %d:", clock);
		say(syscall(SYS_clock_gettime, clock, value)), say(syscall(SYS_clock_gettime, clock, BAD));
		say(syscall(SYS_clock_getres, clock, value));
		if (clock < 5 || clock > 6)
			printf(" %ld %ld", clock < 0 ? 0 : value[0], clock < 0 ? 0 : value[1]);
		say(syscall(SYS_clock_getres, clock, NULL)), say(syscall(SYS_clock_getres, clock, BAD));
		for (int flags = 0; flags < 3; flags++)
			say(clock < 0 || clock > 7 ? 0 : syscall(SYS_clock_nanosleep, clock, flags, (long[]){ 0, 0 }, NULL));
		for (int i = 0; i < 2 && clock >= 0 && clock <= 7; i++)
			say(syscall(SYS_clock_nanosleep, clock, 0, i ? BAD : (long[]){ 0, -1 }, NULL));
		if (clock < -6 || clock > 7 || clock == -5)
			continue;
		int timer = -1;
		say(syscall(SYS_timer_create, clock, NULL, &timer));
		say(clock < 0 || clock > 6 ? 0 : syscall(SYS_timer_delete, timer));
		putchar('\n');
	}
	printf("sleeps:");
	for (int i = 0; i < 7; i++)
		say(i == 5 ? 0 : syscall(SYS_nanosleep, times[i], value));
	say(syscall(SYS_nanosleep, BAD, NULL));
	putchar('\n');
}

static void timers(void)
{
	struct itimerval value = { { 0, 0 }, { 50, 500000 } }, old;
	struct sigevent event;
	struct itimerspec spec = { { 0, 0 }, { 100, 0 } }, told;
	static const long wrong[][4] = { { 0, 0, 0, 1000000 }, { 0, 0, 0, -1 }, { 0, 1000000, 0, 0 }, { 0, -1, 0, 0 }, { -1, 0, 0, 0 }, { 0, 0, -1, 0 } };
	int timer = -1;

	for (int which = -1; which < 4; which++) {
		printf("itimer %d:", which);
		say(syscall(SYS_setitimer, which, &value, NULL)), say(syscall(SYS_getitimer, which, &old));
		printf(" %d", which >= 0 && which < 3 ? (int)(old.it_value.tv_sec == 50 && old.it_value.tv_usec > 400000 && old.it_value.tv_usec <= 504000) : 0);
		say(syscall(SYS_getitimer, which, BAD)), say(syscall(SYS_setitimer, which, BAD, NULL));
		for (int i = 0; i < 6; i++)
			say(syscall(SYS_setitimer, which, wrong[i], &old));
		say(syscall(SYS_setitimer, which, NULL, &old)), say(syscall(SYS_setitimer, which, &(struct itimerval){ 0 }, BAD));
		say(syscall(SYS_setitimer, which, &(struct itimerval){ 0 }, &old));
		putchar('\n');
	}
	printf("alarms: %u %u", alarm(50), alarm(0));
	printf(" %u", alarm(0));
	for (int tenths = 4; tenths < 30; tenths += 5) {
		value.it_value.tv_sec = tenths / 10, value.it_value.tv_usec = tenths % 10 * 100000 + 30000;
		setitimer(ITIMER_REAL, &value, NULL);
		printf(" %u", alarm(0));
	}
	memset(&event, 0, sizeof event);
	for (int notify = -1; notify < 6; notify++)
		for (int number = -1; number < 67; number += number == 1 ? 62 : 1) {
			event.sigev_notify = notify, event.sigev_signo = number;
			event.sigev_notify_thread_id = notify == 5 || number == 64 ? 1 : getpid();
			int result = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer);
			say(result);
			if (!result)
				syscall(SYS_timer_delete, timer);
		}
	say(syscall(SYS_timer_create, CLOCK_MONOTONIC, BAD, &timer)), say(syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, BAD));
	event.sigev_notify = SIGEV_NONE;
	say(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
	say(syscall(SYS_timer_getoverrun, timer));
#if __SIZEOF_LONG__ == 8
	say(syscall(SYS_timer_gettime, timer, &told));
	printf(" %ld %ld", told.it_value.tv_sec, told.it_value.tv_nsec);
	say(syscall(SYS_timer_settime, timer, 0, &spec, &told)), say(syscall(SYS_timer_gettime, timer, &told));
	printf(" %d", told.it_value.tv_sec == 99 || told.it_value.tv_sec == 100);
	say(syscall(SYS_timer_settime, timer, 1, &spec, &told)), say(syscall(SYS_timer_settime, timer, 8, &spec, NULL));
	say(syscall(SYS_timer_settime, timer, 0, NULL, NULL)), say(syscall(SYS_timer_settime, timer, 0, BAD, NULL));
	say(syscall(SYS_timer_settime, timer, 0, &(struct itimerspec){ { 0, 0 }, { 0, 1000000000 } }, NULL));
	say(syscall(SYS_timer_settime, timer, 0, &(struct itimerspec){ { 0, -1 }, { 0, 0 } }, NULL));
	say(syscall(SYS_timer_settime, timer + 50, 0, &spec, NULL)), say(syscall(SYS_timer_gettime, timer + 50, &told)), say(syscall(SYS_timer_gettime, timer, BAD));
#endif
	say(syscall(SYS_timer_getoverrun, timer + 50)), say(syscall(SYS_timer_delete, timer + 50));
	say(syscall(SYS_timer_delete, timer)), say(syscall(SYS_timer_delete, timer));
	putchar('\n');
}

static void nothing(int number)
{
}

static void signals(void)
{
	uint64_t set[3] = { 0, 0, 0 }, action[4] = { 1 }, none[4] = { 0 };
	int own = getpid();

	for (int number = -1; number < 67; number++) {
		printf("signal %d:", number);
		say(syscall(SYS_rt_sigaction, number, NULL, set, 8)), say(syscall(SYS_rt_sigaction, number, NULL, set, 4));
		say(syscall(SYS_rt_sigaction, number, action, NULL, 8)), say(syscall(SYS_rt_sigaction, number, none, NULL, 8));
		say(syscall(SYS_rt_sigaction, number, BAD, NULL, 8)), say(syscall(SYS_rt_sigaction, number, NULL, BAD, 8));
		if (number < 1 || number > 64) {
			say(kill(own, number)), say(syscall(SYS_tkill, own, number)), say(syscall(SYS_tgkill, own, own, number));
			say(kill(0, number));
		}
		say(kill(99999, number)), say(syscall(SYS_tkill, 99999, number)), say(syscall(SYS_tgkill, own, 99999, number)), say(syscall(SYS_tgkill, 1, own, number));
		say(syscall(SYS_tkill, -1, number)), say(syscall(SYS_tkill, 0, number)), say(syscall(SYS_tgkill, 0, own, number)), say(syscall(SYS_tgkill, own, -1, number));
#ifdef __i386__
		say(syscall(SYS_sigaction, number, NULL, set)), say(syscall(SYS_sigaction, number, none, NULL)), say(syscall(SYS_sigaction, number, BAD, NULL));
		say(syscall(SYS_signal, number, 1)), say(syscall(SYS_signal, number, 0));
#endif
		putchar('\n');
	}
	printf("masks:");
	for (int how = -1; how < 4; how++)
		for (int size = 0; size < 17; size += 4) {
			set[0] = 0x8000000100000200 << (how & 1);
			say(syscall(SYS_rt_sigprocmask, how, set, set + 1, size));
			printf(" %llx", (unsigned long long)set[1]);
		}
	say(syscall(SYS_rt_sigprocmask, 0, BAD, NULL, 8)), say(syscall(SYS_rt_sigprocmask, 0, NULL, BAD, 8)), say(syscall(SYS_rt_sigprocmask, 9, NULL, set, 8));
	set[0] = -1;
	say(syscall(SYS_rt_sigprocmask, 2, set, NULL, 8)), say(syscall(SYS_rt_sigprocmask, 0, NULL, set + 1, 8));
	printf(" %llx\npending:", (unsigned long long)set[1]);
	signal(SIGUSR1, nothing), signal(SIGRTMIN + 5, nothing);
	kill(own, SIGUSR1), raise(SIGRTMIN + 5);
	for (int size = 0; size < 10; size++) {
		set[1] = 0;
		say(syscall(SYS_rt_sigpending, set + 1, size));
		printf(" %llx", (unsigned long long)set[1]);
	}
	say(syscall(SYS_rt_sigpending, BAD, 8));
#ifdef __i386__
	for (int how = -1; how < 4; how++) {
		set[0] = 0x200, set[1] = 0;
		say(syscall(SYS_sigprocmask, how, set, set + 1));
		printf(" %llx", (unsigned long long)set[1]);
	}
	say(syscall(SYS_sigprocmask, 0, BAD, NULL)), say(syscall(SYS_sigprocmask, 0, NULL, BAD)), say(syscall(SYS_sigpending, set)), say(syscall(SYS_sigpending, BAD));
	printf(" %llx", (unsigned long long)set[0]);
	set[0] = -1;
	syscall(SYS_rt_sigprocmask, 2, set, NULL, 8);
#endif
	for (int size = 0; size < 17; size += 4)
		say(syscall(SYS_rt_sigsuspend, size == 8 ? BAD : set, size)), say(syscall(SYS_rt_sigtimedwait, size == 8 ? BAD : set, NULL, (long[]){ 0, 0 }, size));
	say(syscall(SYS_rt_sigtimedwait, set, NULL, (long[]){ 0, 1000000000 }, 8)), say(syscall(SYS_rt_sigtimedwait, set, NULL, BAD, 8));
	for (int i = 0; i < 3; i++)
		say(syscall(SYS_rt_sigtimedwait, set, i ? NULL : BAD, (long[]){ 0, 0 }, 8));
	set[0] = 0;
	syscall(SYS_rt_sigprocmask, 2, set, NULL, 8);
	putchar('\n');
}

static void limits(void)
{
	unsigned long value[2], told[2];

	for (int which = -1; which < 18; which++) {
		printf("limit %d:", which);
		int known = syscall(SYS_getrlimit, which, value);
		say(known), say(syscall(SYS_getrlimit, which, BAD)), say(syscall(SYS_setrlimit, which, BAD));
		if (!known) {
			say(syscall(SYS_setrlimit, which, value)), say(syscall(SYS_setrlimit, which, (unsigned long[]){ 10, 5 }));
			say(syscall(SYS_getrlimit, which, told));
			printf(" %d", told[0] == value[0] && told[1] == value[1]);
		} else
			say(syscall(SYS_setrlimit, which, (unsigned long[]){ 0, 0 }));
		say(syscall(SYS_prlimit64, 99999, which, NULL, NULL)), say(syscall(SYS_prlimit64, -1, which, NULL, NULL)), say(syscall(SYS_prlimit64, 0, which, BAD, NULL));
#ifdef __i386__
		say(syscall(SYS_getrlimit, which, value));
		printf(" %lx", known ? 0 : value[1] == 0x7fffffff);
#endif
		putchar('\n');
	}
	struct rusage usage;
	for (int who = -3; who < 3; who++)
		say(syscall(SYS_getrusage, who, &usage)), say(syscall(SYS_getrusage, who, BAD));
	say(syscall(SYS_times, BAD)), say(syscall(SYS_times, NULL) == -1 ? -1 : 0);
	putchar('\n');
}

static void scheduling(void)
{
	int parameter = 0, status;

	for (int policy = -1; policy < 9; policy += policy == 6 ? 2 : 1) {
		printf("policy %d:", policy);
		say(syscall(SYS_sched_get_priority_max, policy)), say(syscall(SYS_sched_get_priority_min, policy));
		for (parameter = -1; parameter < 2; parameter++)
			say(policy == 1 || policy == 2 || policy == 6 || policy == 7 ? 0 : syscall(SYS_sched_setscheduler, 0, policy, &parameter));
		say(syscall(SYS_sched_getscheduler, 0));
		putchar('\n');
	}
	parameter = 0;
	say(syscall(SYS_sched_setscheduler, 0, 0, &parameter)), say(syscall(SYS_sched_setscheduler, 0, 0, NULL)), say(syscall(SYS_sched_setscheduler, 0, 0, BAD));
	for (int pid = -1; pid < 100000; pid += pid < 0 ? 1 : 99999) {
		say(syscall(SYS_sched_getscheduler, pid)), say(syscall(SYS_sched_getparam, pid, &parameter)), say(syscall(SYS_sched_getparam, pid, NULL));
		say(syscall(SYS_sched_setscheduler, pid, 0, &parameter)), say(syscall(SYS_sched_setparam, pid, &parameter)), say(syscall(SYS_sched_rr_get_interval, pid, (long[2]){ 0 }));
		for (int which = -1; which < 4; which++)
			say(pid == 0 && which != 1 ? 0 : syscall(SYS_getpriority, which, pid)), say(which == 2 || which == 1 && !pid ? 0 : syscall(SYS_setpriority, which, pid, 0));
	}
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		for (int value = -25; value < 30; value += 6) {
			say(syscall(SYS_setpriority, 0, 0, value)), say(syscall(SYS_getpriority, 0, 0));
			say(nice(3) == -1 ? -1 : 0), say(syscall(SYS_getpriority, 0, 0));
		}
		putchar('\n');
		fflush(stdout);
		_exit(0);
	}
	fflush(stdout);
	waitpid(child, &status, 0);
	putchar('\n');
}

static void of_the_system(void)
{
	char name[32], bytes[300];
	int told = -1;

	for (int option = 1; option < 5; option++)
		for (int value = -1; value < 67; value += value == 3 ? 60 : 1)
			say(option == 2 || option == 3 ? 0 : prctl(option, value, 0, 0, 0));
	say(prctl(PR_SET_PDEATHSIG, 15)), say(prctl(PR_GET_PDEATHSIG, &told));
	printf(" %d", told);
	say(prctl(PR_GET_PDEATHSIG, BAD)), say(prctl(PR_SET_PDEATHSIG, 0)), say(prctl(PR_GET_DUMPABLE)), say(prctl(PR_SET_DUMPABLE, 1));
	for (int size = 0; size < 20; size++) {
		memset(name, 0, sizeof name);
		memset(name, 'n', size);
		say(prctl(PR_SET_NAME, name));
		memset(name, '.', sizeof name);
		say(prctl(PR_GET_NAME, name));
		printf(" %.20s", name);
	}
	say(prctl(PR_SET_NAME, BAD)), say(prctl(PR_GET_NAME, BAD));
	for (int value = 0; value < 3; value++) {
		say(prctl(PR_SET_CHILD_SUBREAPER, value)), say(prctl(PR_GET_CHILD_SUBREAPER, &told));
		printf(" %d", told);
	}
	say(prctl(PR_GET_CHILD_SUBREAPER, BAD)), say(prctl(PR_SET_CHILD_SUBREAPER, 0));
	for (unsigned long value = 0; value < 70; value += 8)
		say(value == 40 ? 0 : prctl(PR_CAPBSET_READ, value) < 0 ? -1 : 0);
	for (long value = 0; value < 60000; value += 20000)
		say(prctl(PR_SET_TIMERSLACK, value)), say(prctl(PR_GET_TIMERSLACK));
	say(prctl(9999, 0)), say(prctl(-1, 0));
	say(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)), say(prctl(PR_SET_NO_NEW_PRIVS, 2, 0, 0, 0)), say(prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
	say(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 1, 0)), say(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 1)), say(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)), say(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	printf("\npersonalities:");
	static const long personas[] = { -1, 0, 0x0040000, 0xffffffff, 0x0800000, 0xffffffff, 0 };
	for (int i = 0; i < 7; i++)
		say(syscall(SYS_personality, personas[i]) & 0xfffffff0);
	printf("\nrandom:");
	for (int flags = 0; flags < 16; flags++)
		say(syscall(SYS_getrandom, bytes, 5, flags));
	say(syscall(SYS_getrandom, bytes, 0, 0)), say(syscall(SYS_getrandom, bytes, 300, 0)), say(syscall(SYS_getrandom, BAD, 5, 0));
	printf("\nrest:");
	say(syscall(SYS_sethostname, bytes, -1)), say(syscall(SYS_sethostname, bytes, 65)), say(syscall(SYS_sethostname, BAD, 5));
	say(syscall(SYS_setdomainname, bytes, -1)), say(syscall(SYS_setdomainname, bytes, 65)), say(syscall(SYS_setdomainname, BAD, 5));
	say(syscall(SYS_uname, BAD)), say(syscall(SYS_sysinfo, BAD));
	say(syscall(SYS_membarrier, 0, 1, 0)), say(syscall(SYS_membarrier, 1 << 20, 0, 0)), say(syscall(SYS_membarrier, 1, 0, 0)), say(syscall(SYS_membarrier, 0, 0, 0) > 0);
	say(syscall(SYS_set_robust_list, bytes, 0)), say(syscall(SYS_set_robust_list, bytes, sizeof(long) * 3 - 1));
	say(syscall(SYS_set_tid_address, &told) == getpid()), say(syscall(SYS_getcpu, BAD, NULL, NULL)), say(syscall(SYS_getcpu, NULL, NULL, NULL));
	say(syscall(SYS_getgroups, -1, NULL)), say(syscall(SYS_setgroups, -1, NULL)), say(syscall(SYS_setgroups, 70000, NULL)), say(syscall(SYS_setgroups, 1, BAD));
	putchar('\n');
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	clocks();
	timers();
	signals();
	limits();
	scheduling();
	of_the_system();
	return 0;
}
