/* Linux system calls, made directly: numbers of <asm/unistd.h>, errors as negative results. */

#define	AT_FDCWD	(-100L)

#if defined(__x86_64__)
#define	SYS_write	1
#define	SYS_close	3
#define	SYS_ioctl	16
#define	SYS_openat	257
#define	SYS_readlinkat	267
#elif defined(__i386__)
#define	SYS_write	4
#define	SYS_close	6
#define	SYS_ioctl	54
#define	SYS_openat	295
#define	SYS_readlinkat	305
#elif defined(__aarch64__)
#define	SYS_ioctl	29
#define	SYS_openat	56
#define	SYS_close	57
#define	SYS_write	64
#define	SYS_readlinkat	78
#elif defined(__sparc__)
#define	SYS_write	4
#define	SYS_close	6
#define	SYS_ioctl	54
#define	SYS_openat	284
#define	SYS_readlinkat	294
#endif

static inline long
call(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall" : "=a"(result)
	    : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return (result);
#elif defined(__i386__)
	long result;

	/* %ebx may hold the address of the global offset table. */
	__asm__ volatile("xchgl %%ebx, %%edi\n\tint $0x80\n\txchgl %%ebx, %%edi" : "=a"(result)
	    : "a"(number), "D"(a), "c"(b), "d"(c), "S"(d) : "memory");
	return (result);
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return (x0);
#elif defined(__sparc__)
	register long g1 __asm__("g1") = number;
	register long o0 __asm__("o0") = a;
	register long o1 __asm__("o1") = b;
	register long o2 __asm__("o2") = c;
	register long o3 __asm__("o3") = d;

	/* A set carry says that the result is an error, as a positive number. */
#ifdef __arch64__
	__asm__ volatile("ta 0x6d\n\tbcs,a,pt %%xcc, 1f\n\t sub %%g0, %0, %0\n1:"
#else
	__asm__ volatile("ta 0x10\n\tbcs,a 1f\n\t sub %%g0, %0, %0\n1:"
#endif
	    : "+r"(o0) : "r"(g1), "r"(o1), "r"(o2), "r"(o3) : "cc", "memory");
	return (o0);
#endif
}

#define	open(path, flags)		((int)call(SYS_openat, AT_FDCWD, (long)(path), (flags), 0))
#define	close(fd)			call(SYS_close, (fd), 0, 0, 0)
#define	ioctl(fd, request, argument)	((int)call(SYS_ioctl, (fd), (long)(request), (long)(argument), 0))
#define	write(fd, data, length)		call(SYS_write, (fd), (long)(data), (long)(length), 0)
#define	readlink(path, buffer, size)	call(SYS_readlinkat, AT_FDCWD, (long)(path), (long)(buffer), (size))
