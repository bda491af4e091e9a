"""The kernel's functions that play the part of one of illumos': those that are no system calls, and names
of those that are.

Their C types are those of illumos' function as far as the kernel gives them, and in its order, after the
calling thread's.  A result `int` is an error number: 0, or that of the OSError which the function raises.
"""

from __future__ import annotations

# module | name | type of the result | types of the arguments
FUNCTIONS = """\
genunix|sigtoproc|void|proc_t *, kthread_t *, int
unix|trap|void|
genunix|psig|void|
unix|pagefault|int|caddr_t, int, int, int
genunix|as_fault|int|struct hat *, struct as *, caddr_t, size_t, int, int
unix|syscall_trap|long|long
genunix|cv_wait|void|kcondvar_t *
genunix|setrun|void|kthread_t *
unix|swtch|void|
genunix|exit|void|int, int
genunix|core|int|int, int
genunix|proc_exit|int|int, int
genunix|exec_common|int|char *, char **, char **
genunix|gexec|int|vnode_t **
genunix|cfork|pid_t|int, int, int
genunix|lwp_create|id_t|
unix|swtch_to|void|kthread_t *
genunix|fop_open|int|vnode_t **, int, cred_t *
ufs|ufs_open|int|vnode_t **, int, cred_t *
genunix|fop_close|int|vnode_t *, int, int, offset_t, cred_t *
ufs|ufs_close|int|vnode_t *, int, int, offset_t, cred_t *
genunix|fop_read|int|vnode_t *, uio_t *, int, cred_t *
ufs|ufs_read|int|vnode_t *, uio_t *, int, cred_t *
genunix|fop_getpage|int|vnode_t *, offset_t, size_t
ufs|ufs_getpage|int|vnode_t *, offset_t, size_t
genunix|fop_write|int|vnode_t *, uio_t *, int, cred_t *
ufs|ufs_write|int|vnode_t *, uio_t *, int, cred_t *
genunix|fop_fsync|int|vnode_t *, int, cred_t *
genunix|fop_ioctl|int|vnode_t *, int, intptr_t, int, cred_t *
ufs|ufs_ioctl|int|vnode_t *, int, intptr_t, int, cred_t *
genunix|fop_seek|int|vnode_t *, offset_t
genunix|fop_getattr|int|vnode_t *, vattr_t *, int, cred_t *
ufs|ufs_getattr|int|vnode_t *, vattr_t *, int, cred_t *
genunix|fop_setattr|int|vnode_t *, vattr_t *, int, cred_t *
genunix|fop_space|int|vnode_t *, int
genunix|fop_access|int|vnode_t *, int, int, cred_t *
genunix|fop_lookup|int|vnode_t *, char *
ufs|ufs_lookup|int|vnode_t *, char *
genunix|dnlc_lookup|vnode_t *|vnode_t *, char *
genunix|fop_readdir|int|vnode_t *, uio_t *, cred_t *
ufs|ufs_readdir|int|vnode_t *, uio_t *, cred_t *
genunix|fop_readlink|int|vnode_t *
genunix|fop_create|int|vnode_t *, char *, vattr_t *
ufs|ufs_create|int|vnode_t *, char *, vattr_t *
genunix|fop_mkdir|int|vnode_t *, char *, vattr_t *
genunix|fop_symlink|int|vnode_t *, char *, vattr_t *, char *
genunix|fop_remove|int|vnode_t *, char *, cred_t *
ufs|ufs_remove|int|vnode_t *, char *, cred_t *
genunix|fop_rmdir|int|vnode_t *, char *, vnode_t *, cred_t *
genunix|fop_link|int|vnode_t *, vnode_t *, char *, cred_t *
genunix|fop_rename|int|vnode_t *, char *, vnode_t *, char *, cred_t *
genunix|lookuppnvp|int|struct pathname *
genunix|fop_poll|int|vnode_t *, short
genunix|getf|file_t *|int
genunix|vn_openat|int|char *, int, int, int
genunix|as_map|int|struct as *, caddr_t, size_t
genunix|as_unmap|int|struct as *, caddr_t, size_t
genunix|bdev_strategy|int|buf_t *
genunix|biowait|int|buf_t *
genunix|biodone|void|buf_t *
"""

# Names of the functions that carry out system calls, where illumos calls them otherwise than Linux the call.
CALLED = {
    "accept4": "accept", "execve": "exece", "exit": "syslwp_exit", "exit_group": "rexit", "mmap": "smmap64",
    "newfstatat": "fstatat", "pread64": "pread", "pwrite64": "pwrite", "rt_sigaction": "sigaction",
    "rt_sigpending": "sigpending", "rt_sigsuspend": "sigsuspend", "rt_sigtimedwait": "sigtimedwait",
    "socket": "so_socket", "socketpair": "so_socketpair", "sync": "syssync", "time": "gtime",
    "utimensat": "utimesys",
}
MODULES = {"sockets": "sockfs"}  # theirs, by ours where the handler is, if it is not genunix
