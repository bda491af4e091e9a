/*
 * What a program does with its own DOF: hands it to the kernel when the load
 * object starts and takes it back when the object goes away.
 *
 * `make registration` compiles this once per system and instruction set;
 * `dtrace -G` puts the DOF into a copy of the result.  Nothing here may need
 * a C library that the program does not have: on Linux it makes its system
 * calls itself, and asks for getenv() and dladdr() only if they are there.
 *
 *	DTRACE_DOF_INIT_DISABLE	set: the DOF is not registered
 *	DTRACE_DOF_INIT_DEBUG	set: failures are told on standard error
 *	DTRACE_DOF_INIT_DEVNAME	the device to use instead of /dev/dtrace/helper
 *
 * The structure and the requests are those of <sys/dtrace.h>.
 */

typedef unsigned char		u8;
typedef unsigned long long	u64;

#define	MODULE_NAME_SIZE	64
#define	PATH_SIZE		1024
#define	OPEN_READ_WRITE		2
#define	HIDDEN			__attribute__((visibility("hidden")))
#define	WEAK			__attribute__((weak))

struct helper {
	char	module[MODULE_NAME_SIZE];
	u64	base;
	u64	dof;
#ifdef FREEBSD
	int	pid;
	int	generation;
#endif
};

#ifdef FREEBSD
#define	ADD_DOF		0xc0587a03UL	/* _IOWR('z', 3, struct helper) */
#define	REMOVE_DOF	0x80047a02UL	/* _IOW('z', 2, int) */
#else
#define	ADD_DOF		0x64746803UL	/* 'd', 't', 'h', 3 */
#define	REMOVE_DOF	0x64746802UL
#endif

struct dl_info {
	const char	*file;
	void		*base;
	const char	*symbol;
	void		*address;
};

/* Replaced by the DOF itself. */
static const u8 __SUNW_dof[8] __attribute__((section(".SUNW_dof"), aligned(8), used)) = { 0x7f, 'D', 'O', 'F' };

static int generation = -1;
static const char *device = "/dev/dtrace/helper";

#ifdef LINUX
#include "linux.h"
extern char *getenv(const char *) WEAK;
extern int dladdr(const void *, struct dl_info *) WEAK;
#else
extern int open(const char *, int, ...);
extern int close(int);
extern int ioctl(int, unsigned long, ...);
extern long write(int, const void *, unsigned long);
extern char *getenv(const char *);
extern int dladdr(const void *, struct dl_info *);
#ifdef FREEBSD
extern int getpid(void);
#endif
#endif

static const char *
setting(const char *name)
{
#ifdef LINUX
	if (getenv == 0)
		return (0);
#endif
	return (getenv(name));
}

static void
say(const char *what)
{
	unsigned long length = 0;

	if (setting("DTRACE_DOF_INIT_DEBUG") == 0)
		return;
	while (what[length] != '\0')
		length++;
	(void) write(2, what, length);
}

/* The last component of the path of the object this code is in. */
static void
name_module(char *module)
{
	const char *path = 0, *p;
	struct dl_info info;
	int i;
#ifdef LINUX
	char buffer[PATH_SIZE];
	long length;
	int slash = 0;

	if (dladdr != 0 && dladdr(__SUNW_dof, &info) != 0)
		path = info.file;
	for (p = path; p != 0 && *p != '\0'; p++)
		slash |= *p == '/';
	/* Without a directory it is a name the shell looked up: that of the program. */
	if (!slash) {
		length = readlink("/proc/self/exe", buffer, PATH_SIZE - 1);
		if (length > 0) {
			buffer[length] = '\0';
			path = buffer;
		}
	}
#else
	if (dladdr(__SUNW_dof, &info) != 0)
		path = info.file;
#endif
	if (path == 0)
		path = "a.out";
	for (p = path; *p != '\0'; p++) {
		if (*p == '/')
			path = p + 1;
	}
	for (i = 0; i < MODULE_NAME_SIZE; i++)
		module[i] = '\0';
	for (i = 0; i < MODULE_NAME_SIZE - 1 && path[i] != '\0'; i++)
		module[i] = path[i];
}

static void __attribute__((constructor))
register_dof(void)
{
	struct helper helper;
	const char *other;
	int fd;

	if (setting("DTRACE_DOF_INIT_DISABLE") != 0)
		return;
	if ((other = setting("DTRACE_DOF_INIT_DEVNAME")) != 0)
		device = other;
	if ((fd = open(device, OPEN_READ_WRITE)) < 0) {
		say("dtrace DOF: cannot open the helper device\n");
		return;
	}
	name_module(helper.module);
	helper.dof = (u64)(unsigned long)__SUNW_dof;
	/*
	 * The kernel takes two registrations with one base for the same one.
	 * A program may hold several generated objects, and nothing in their
	 * DOF is relative to the object's base: so each gives its own address.
	 */
	helper.base = helper.dof;
#ifdef FREEBSD
	helper.pid = getpid();
	helper.generation = -1;
#endif
	generation = ioctl(fd, ADD_DOF, &helper);
	if (generation < 0)
		say("dtrace DOF: the kernel refused the DOF\n");
	else
		say("dtrace DOF: registered\n");
#ifdef FREEBSD
	if (generation >= 0)
		generation = helper.generation;
#endif
	(void) close(fd);
}

static void __attribute__((destructor))
remove_dof(void)
{
	int fd;

	if (generation < 0 || (fd = open(device, OPEN_READ_WRITE)) < 0)
		return;
#ifdef FREEBSD
	(void) ioctl(fd, REMOVE_DOF, &generation);
#else
	(void) ioctl(fd, REMOVE_DOF, (unsigned long)generation);
#endif
	generation = -1;
	(void) close(fd);
}
