"""Numbers that Linux gives other values on SPARC: errors, signals, flags.

Sources: <asm/errno.h>, <asm/signal.h>, <asm/fcntl.h>, <asm/mman.h>, <asm/unistd.h> of both machines.
The kernel itself, and D, use those of x86.
"""

from __future__ import annotations

import errno
import os

from runtime.kernel.base import signals as generic
from runtime.kernel.base.signals import (
    SA_NOCLDSTOP,
    SA_NOCLDWAIT,
    SA_NODEFER,
    SA_ONSTACK,
    SA_RESETHAND,
    SA_RESTART,
    SA_SIGINFO,
    SIGNAL_COUNT,
    bit,
)

ERRNO = {  # ours: SPARC's
    errno.EINPROGRESS: 36, errno.EALREADY: 37, errno.ENOTSOCK: 38, errno.EDESTADDRREQ: 39,
    errno.EMSGSIZE: 40, errno.EPROTOTYPE: 41, errno.ENOPROTOOPT: 42, errno.EPROTONOSUPPORT: 43,
    errno.ESOCKTNOSUPPORT: 44, errno.EOPNOTSUPP: 45, errno.EPFNOSUPPORT: 46, errno.EAFNOSUPPORT: 47,
    errno.EADDRINUSE: 48, errno.EADDRNOTAVAIL: 49, errno.ENETDOWN: 50, errno.ENETUNREACH: 51,
    errno.ENETRESET: 52, errno.ECONNABORTED: 53, errno.ECONNRESET: 54, errno.ENOBUFS: 55,
    errno.EISCONN: 56, errno.ENOTCONN: 57, errno.ESHUTDOWN: 58, errno.ETOOMANYREFS: 59,
    errno.ETIMEDOUT: 60, errno.ECONNREFUSED: 61, errno.ELOOP: 62, errno.ENAMETOOLONG: 63,
    errno.EHOSTDOWN: 64, errno.EHOSTUNREACH: 65, errno.ENOTEMPTY: 66, errno.EUSERS: 68, errno.EDQUOT: 69,
    errno.ESTALE: 70, errno.EREMOTE: 71, errno.ENOSTR: 72, errno.ETIME: 73, errno.ENOSR: 74,
    errno.ENOMSG: 75, errno.EBADMSG: 76, errno.EIDRM: 77, errno.EDEADLK: 78, errno.ENOLCK: 79,
    errno.ENONET: 80, errno.ENOLINK: 82, errno.EADV: 83, errno.ESRMNT: 84, errno.ECOMM: 85,
    errno.EPROTO: 86, errno.EMULTIHOP: 87, errno.EDOTDOT: 88, errno.EREMCHG: 89, errno.ENOSYS: 90,
    errno.ESTRPIPE: 91, errno.EOVERFLOW: 92, errno.EBADFD: 93, errno.ECHRNG: 94, errno.EL2NSYNC: 95,
    errno.EL3HLT: 96, errno.EL3RST: 97, errno.ELNRNG: 98, errno.EUNATCH: 99, errno.ENOCSI: 100,
    errno.EL2HLT: 101, errno.EBADE: 102, errno.EBADR: 103, errno.EXFULL: 104, errno.ENOANO: 105,
    errno.EBADRQC: 106, errno.EBADSLT: 107, errno.EDEADLOCK: 108, errno.EBFONT: 109, errno.ELIBEXEC: 110,
    errno.ENODATA: 111, errno.ELIBBAD: 112, errno.ENOPKG: 113, errno.ELIBACC: 114, errno.ENOTUNIQ: 115,
    errno.ERESTART: 116, errno.EILSEQ: 122, errno.ELIBMAX: 123, errno.ELIBSCN: 124, errno.ENOMEDIUM: 125,
    errno.EMEDIUMTYPE: 126, errno.ECANCELED: 127, errno.ENOKEY: 128, errno.EKEYEXPIRED: 129,
    errno.EKEYREVOKED: 130, errno.EKEYREJECTED: 131, errno.EOWNERDEAD: 132, errno.ENOTRECOVERABLE: 133,
    errno.ERFKILL: 134}

# SPARC's signals from 1 on; its EMT and LOST are STKFLT and PWR, which the kernel does not send
_SIGNALS = (
    generic.SIGHUP, generic.SIGINT, generic.SIGQUIT, generic.SIGILL, generic.SIGTRAP, generic.SIGABRT,
    generic.SIGSTKFLT, generic.SIGFPE, generic.SIGKILL, generic.SIGBUS, generic.SIGSEGV, generic.SIGSYS,
    generic.SIGPIPE, generic.SIGALRM, generic.SIGTERM, generic.SIGURG, generic.SIGSTOP, generic.SIGTSTP,
    generic.SIGCONT, generic.SIGCHLD, generic.SIGTTIN, generic.SIGTTOU, generic.SIGIO, generic.SIGXCPU,
    generic.SIGXFSZ, generic.SIGVTALRM, generic.SIGPROF, generic.SIGWINCH, generic.SIGPWR,
    generic.SIGUSR1, generic.SIGUSR2)
TO_SIGNAL = dict(enumerate(_SIGNALS, 1)) | {number: number for number in range(32, SIGNAL_COUNT + 1)}
FROM_SIGNAL = {ours: theirs for theirs, ours in TO_SIGNAL.items()}

ACTION_FLAGS = {1: SA_ONSTACK, 2: SA_RESTART, 4: SA_RESETHAND, 8: SA_NOCLDSTOP, 0x20: SA_NODEFER,
                0x100: SA_NOCLDWAIT, 0x200: SA_SIGINFO}
OPEN_FLAGS = {0x8: os.O_APPEND, 0x200: os.O_CREAT, 0x400: os.O_TRUNC, 0x800: os.O_EXCL, 0x2000: os.O_DSYNC,
              0x4000: os.O_NONBLOCK, 0x8000: os.O_NOCTTY, 0x10000: os.O_DIRECTORY, 0x20000: os.O_NOFOLLOW,
              0x100000: os.O_DIRECT, 0x200000: os.O_NOATIME, 0x400000: os.O_CLOEXEC, 0x1000000: os.O_PATH}
OPEN_MODES = 3


def to_flags(theirs: int, table: dict[int, int]) -> int:
    """Return our flags for SPARC's, by one of the tables above."""
    return sum(ours for flag, ours in table.items() if theirs & flag)


def from_flags(flags: int, table: dict[int, int]) -> int:
    """Return SPARC's flags for ours."""
    return sum(theirs for theirs, ours in table.items() if flags & ours == ours)


def to_mask(theirs: int) -> int:
    """Return our signal mask for SPARC's."""
    return sum(bit(ours) for number, ours in TO_SIGNAL.items() if theirs & bit(number))


def from_mask(mask: int) -> int:
    """Return SPARC's signal mask for ours."""
    return sum(bit(theirs) for ours, theirs in FROM_SIGNAL.items() if mask & bit(ours))


def from_status(status: int) -> int:
    """Return a wait status with SPARC's signal number in place of ours."""
    if status == 0xFFFF or not status & 0x7F:  # continued, exited
        return status
    if status & 0x7F == 0x7F:  # stopped
        return FROM_SIGNAL.get(status >> 8, status >> 8) << 8 | 0x7F
    return status & ~0x7F | FROM_SIGNAL.get(status & 0x7F, 0)


# system calls: name, number (the same for 32 and for 64 bits)
CALLS = """\
exit 1
fork 2
read 3
write 4
open 5
close 6
wait4 7
creat 8
link 9
unlink 10
chdir 12
chmod 15
brk 17
lseek 19
getpid 20
getuid 24
alarm 27
sigaltstack 28
pause 29
access 33
nice 34
sync 36
kill 37
dup 41
pipe 42
getgid 47
geteuid 49
getegid 50
ioctl 54
symlink 57
readlink 58
execve 59
umask 60
fstat64 63
vfork 66
pread64 67
pwrite64 68
mmap 71
munmap 73
mprotect 74
madvise 75
getpgrp 81
dup2 90
fcntl 92
fsync 95
rt_sigreturn 101
rt_sigaction 102
rt_sigprocmask 103
gettimeofday 116
getcwd 119
readv 120
writev 121
fchown 123
fchmod 124
rename 128
truncate 129
ftruncate 130
flock 131
lstat64 132
mkdir 136
rmdir 137
stat64 139
futex 142
gettid 143
poll 153
getdents64 154
set_tid_address 166
setsid 175
fchdir 176
setpgid 185
tkill 187
exit_group 188
uname 189
getppid 197
sigaction 198
tgkill 211
sigreturn 216
clone 217
sigprocmask 220
getpgid 224
sched_yield 245
nanosleep 249
getsid 252
clock_gettime 257
clock_getres 258
clock_nanosleep 259
openat 284
mkdirat 285
fstatat64 289
unlinkat 290
renameat 291
linkat 292
symlinkat 293
readlinkat 294
fchmodat 295
faccessat 296
ppoll 298
set_robust_list 300
dup3 320
pipe2 321
prlimit64 331
getrandom 347
"""
