"""Functions of the kernel that tracers know by name: each plays the part of an illumos function.

`@kfunction("fop_read")` marks a function whose entry and return can be watched, and which appears in kernel
stacks.  Its first parameter is the calling thread.  An unwatched function costs one test: stacks are read
off the interpreter's own frames, and `Watchers` set `hooks.function` only while a function is watched.

Names and C types are in tables (FUNCTIONS here, and runtime.kernel.base.systemcalls), so that tracers can
list functions that have not been loaded.  The types are those of illumos' function, as far as the kernel has
such arguments, in its order.  A function whose own parameters differ has a `tell`, which returns the values
of illumos' arguments.  The result type `int` is an error number: 0, or that of the OSError that is raised.
"""

from __future__ import annotations

import errno
import functools

from dif.records import Record
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.systemcalls import ROWS

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:  # made at run time these types would take as long as the table of functions
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Concatenate, ParamSpec, TypeVar

    from runtime.kernel.base.caller import Caller
    from runtime.kernel.base.hooks import Hooks

    C = TypeVar("C", bound=Caller)
    P = ParamSpec("P")
    R = TypeVar("R")
    Tell = Callable[..., Sequence[object]]
    Entered = Callable[[Sequence[object]], None]  # values of the arguments
    Returned = Callable[[Sequence[object], object, int], None]  # the same, the result, the error number or 0

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
genunix|closef|int|file_t *
genunix|vn_openat|int|char *, int, int, int
genunix|as_map|int|struct as *, caddr_t, size_t
genunix|as_unmap|int|struct as *, caddr_t, size_t
genunix|bdev_strategy|int|buf_t *
genunix|biowait|int|buf_t *
genunix|biodone|void|buf_t *
genunix|kmem_cache_alloc|void *|kmem_cache_t *, int
genunix|kmem_cache_free|void|kmem_cache_t *, void *
genunix|kmem_alloc|void *|size_t, int
genunix|kmem_free|void|void *, size_t
"""

# The functions that carry out system calls, where their name in illumos is not that of Linux' call.
CALLED = {
    "accept4": "accept", "execve": "exece", "exit": "syslwp_exit", "exit_group": "rexit", "mmap": "smmap64",
    "newfstatat": "fstatat", "pread64": "pread", "pwrite64": "pwrite", "rt_sigaction": "sigaction",
    "rt_sigpending": "sigpending", "rt_sigsuspend": "sigsuspend", "rt_sigtimedwait": "sigtimedwait",
    "socket": "so_socket", "socketpair": "so_socketpair", "sync": "syssync", "time": "gtime",
    "utimensat": "utimesys",
}
# illumos' modules, by the module of ours that has the handler; genunix for all others
MODULES = {"net.socket": "sockfs"}


TEXT_BASE = 0xFFFFFFFFFB800000  # where illumos links unix`
SLOT = 0x1000  # bytes of address space for each function; offsets in it are those of the bytecode
_INSTRUCTION = 2  # bytes of one instruction of bytecode


class KernelFunction(Record):
    """One function: its name and module in illumos, and the C types of its result and arguments.

    `address` is that of its entry; `code` is None until the function has been loaded.  `tell` takes what the
    function takes, and returns the values of illumos' arguments; without it these are the function's own.
    """

    name: str
    module: str
    returns: str
    types: str
    address: int
    code: CodeType | None = None
    tell: Tell | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The type of each argument."""
        return tuple(self.types.split(", ")) if self.types else ()

    @property
    def end(self) -> int:
        """The offset of its last instruction.  The function has been loaded."""
        assert self.code is not None
        return min(len(self.code.co_code), SLOT) - _INSTRUCTION

    def told(self, thread: Caller, values: Sequence[object], named: dict[str, object]) -> Sequence[object]:
        """Return the values of its arguments in a call."""
        return self.tell(thread, *values, **named) if self.tell else (*values, *named.values())


def _described() -> dict[str, KernelFunction]:
    """Return every function by name, in the order of their addresses; system calls come last."""
    rows = [line.split("|") for line in FUNCTIONS.splitlines()]
    calls = [line.split("|") for line in ROWS.splitlines()]
    for which in (0, 1):  # those of amd64, then those that only i386 has
        rows += [[MODULES.get(handler, "genunix"), CALLED.get(name, name), "long", types]
                 for name, *numbers, types, handler in calls if handler and numbers[which] != "-"]
    functions: dict[str, KernelFunction] = {}
    for module, name, returns, types in rows:
        if name not in functions:
            functions[name] = KernelFunction(name, module, returns, types, TEXT_BASE + SLOT * len(functions))
    return functions


KFUNCTIONS = _described()
CODES: dict[CodeType, KernelFunction] = {}  # filled while modules load


def loaded(name: str, code: CodeType, tell: Tell | None = None) -> KernelFunction:
    """Note the code of the function `name`, and return its description; the first of several codes counts.

    Raises KeyError for a name that is in no table.
    """
    described = KFUNCTIONS[name]
    CODES.setdefault(code, described)
    if described.code is None:
        described.code, described.tell = code, tell
    return described


def kfunction(name: str, *, tell: Tell | None = None) -> Callable[[Callable[Concatenate[C, P], R]],
                                                                  Callable[Concatenate[C, P], R]]:
    """Give a function its name, its address, and probes at its entry and return.

    Watchers get the arguments as they are; a tracer shows an object by its address in kernel memory.
    """

    def decorate(function: Callable[Concatenate[C, P], R]) -> Callable[Concatenate[C, P], R]:
        described = loaded(name, function.__code__, tell)

        @functools.wraps(function)
        def traced(thread: C, *values: P.args, **named: P.kwargs) -> R:
            observe = thread.kernel.hooks.function
            if observe is None:
                return function(thread, *values, **named)
            result: R = observe(described, function, thread, values, named)
            return result

        return traced

    return decorate


class Watchers:
    """Who watches which functions of one kernel."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._entered: dict[str, list[Entered]] = {}
        self._returned: dict[str, list[Returned]] = {}

    def watch(self, name: str, *, entered: Entered | None = None, returned: Returned | None = None) -> None:
        """Have `entered` called before a function, and `returned` after it unless it ends the thread."""
        if entered is not None:
            self._entered.setdefault(name, []).append(entered)
        if returned is not None:
            self._returned.setdefault(name, []).append(returned)
        self._hooks.function = self._observe

    def unwatch(self, name: str, watcher: Entered | Returned) -> None:
        """Undo `watch`."""
        for table in (self._entered, self._returned):
            kept = [each for each in table.pop(name, ()) if each is not watcher]
            if kept:
                table[name] = kept  # type: ignore[assignment]
        if not self._entered and not self._returned:
            self._hooks.function = None

    def _observe(self, described: KernelFunction, function: Callable[..., R], thread: Caller,
                 values: Sequence[object], named: dict[str, object]) -> R:
        entered, returned = self._entered.get(described.name, ()), self._returned.get(described.name, ())
        if not entered and not returned:
            return function(thread, *values, **named)
        given = described.told(thread, values, named)
        for enter in entered:
            enter(given)
        try:
            result = function(thread, *values, **named)
        except (OSError, MemoryFault) as error:  # after any other exception the thread ends: it never returns
            number = errno.EFAULT if isinstance(error, MemoryFault) else error.errno or errno.EIO
            for leave in returned:
                leave(given, None, number)
            raise
        for leave in returned:
            leave(given, result, 0)
        return result
