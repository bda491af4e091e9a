/* What glibc has and musl, with which zig links, has not or names otherwise; to be included first. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#ifndef __GLIBC__
/* Programs print this beside their native run's: a number tells as much as a name. */
static inline const char *strerrorname_np(int error)
{
	static char text[24];

	snprintf(text, sizeof text, "error %d", error);
	return text;
}

static inline int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	return syscall(SYS_renameat2, from, old, to, new, flags);
}

static inline int close_range(unsigned first, unsigned last, int flags)
{
	return syscall(SYS_close_range, first, last, flags);
}

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE 2
#endif

#if defined(__x86_64__) || defined(__i386__)
/* The masks of x87 and SSE: a bit that is clear lets an exception through. */
static inline void unmask(int exceptions, int which)
{
	unsigned short control;
	unsigned mxcsr;

	__asm__ volatile ("fnstcw %0; stmxcsr %1" : "=m"(control), "=m"(mxcsr));
	control = (control | which) & ~exceptions;
	mxcsr = (mxcsr | which << 7) & ~(exceptions << 7);
	__asm__ volatile ("fldcw %0; ldmxcsr %1" : : "m"(control), "m"(mxcsr));
}

static inline void feenableexcept(int exceptions)
{
	unmask(exceptions, 0);
}

static inline void fedisableexcept(int exceptions)
{
	unmask(0, exceptions);
}
#endif

#if __SIZEOF_LONG__ == 4 && !defined(SYS_timer_settime)
/* Its structures of times have 64 bits everywhere. */
#define SYS_timer_settime SYS_timer_settime64
#define SYS_timer_gettime SYS_timer_gettime64
#define SYS_clock_nanosleep SYS_clock_nanosleep_time64
#endif
#endif
