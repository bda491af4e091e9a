"""The kernel's memory allocator, as tracers know it: kmem_cache_alloc, kmem_alloc, and their like.

Processes, threads, address spaces and open files come from caches, one for each kind, and go back to them.
What has no fixed size (buffers of pipes and sockets, descriptors, locks, watches) is allocated from the heap,
which `runtime.kernel.memory.physical.Heap` pays for with frames.

An object lies where `runtime.kernel.memory.placement` has it.  A piece of the heap gets its address here, and
only while the functions are watched: nothing but tracers asks where it lies.
"""

from __future__ import annotations

from collections import deque

from dif.records import NamedTuple
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.memory.placement import Kind, Placed

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.kernel.base.caller import Caller
    from runtime.kernel.base.hooks import Hooks
    from runtime.kernel.memory.physical import Heap

KM_SLEEP = 0
ARENA_BASE = 0xFFFFFEE000000000  # of the heap's pieces: no kind of object has these addresses
_ALIGNMENT = 16
_MOST_PIECES = 1 << 16  # remembered; of older ones the address is forgotten


class Cache(NamedTuple):
    """What objects of one kind come from, as ::kmastat of illumos calls it."""

    name: bytes
    kind: Kind


PROCESSES = Cache(b"process_cache", Kind.PROCESS)
THREADS = Cache(b"thread_cache", Kind.THREAD)
LWPS = Cache(b"lwp_cache", Kind.LWP)
SPACES = Cache(b"as_cache", Kind.AS)
FILES = Cache(b"file_cache", Kind.FILE)


@kfunction("kmem_cache_alloc", tell=lambda _thread, cache, _held: (cache, KM_SLEEP))
def kmem_cache_alloc(_thread: Caller, cache: Cache, held: object) -> Placed:
    """Note that an object has been made, and return where it is."""
    return Placed(cache.kind, held)


@kfunction("kmem_cache_free", tell=lambda _thread, cache, held: (cache, Placed(cache.kind, held)))
def kmem_cache_free(_thread: Caller, _cache: Cache, _held: object) -> None:
    """Note that an object is used no more."""


@kfunction("kmem_alloc", tell=lambda _thread, _heap, size: (size, KM_SLEEP))
def kmem_alloc(_thread: Caller, heap: KernelHeap, size: int) -> int:
    """Take a piece of the heap, and return its address.  Raises OSError."""
    heap.inner.take(size)
    return heap.pieces.take(size)


@kfunction("kmem_free", tell=lambda _thread, _heap, address, size: (address, size))
def kmem_free(_thread: Caller, heap: KernelHeap, _address: int, size: int) -> None:
    """Give a piece of the heap back."""
    heap.inner.give(size)


class _Pieces:
    """Where the heap's pieces lie that were taken while tracers watched.

    A piece of a queue (of a pipe's bytes, say) may be given back in parts, and several at once.
    """

    def __init__(self) -> None:
        self._next = ARENA_BASE
        self._by_size: dict[int, deque[int]] = {}
        self._count = 0

    def take(self, size: int) -> int:
        """Return the address of a new piece."""
        address = self._next
        self._next += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
        self._keep(address, size)
        return address

    def _keep(self, address: int, size: int) -> None:
        if self._count >= _MOST_PIECES:
            self._by_size.clear()
            self._count = 0
        self._by_size.setdefault(size, deque()).append(address)
        self._count += 1

    def _pop(self, size: int) -> int:
        same = self._by_size[size]
        address = same.popleft()
        if not same:
            del self._by_size[size]
        self._count -= 1
        return address

    def give(self, size: int) -> list[tuple[int, int]]:
        """Return the pieces, each with its size, that go back for `size` bytes: one of that size if there is.

        A part that was taken before tracers watched has an address of its own.
        """
        gone = []
        while size:
            fitting = size if size in self._by_size else max((each for each in self._by_size if each < size),
                                                             default=0)
            if fitting:
                gone.append((self._pop(fitting), fitting))
            elif self._by_size:
                larger = min(self._by_size)
                address, fitting = self._pop(larger), size
                gone.append((address, size))
                self._keep(address + size, larger - size)
            else:
                fitting = size
                gone.append((self.take(size), size))
                self._pop(size)
            size -= fitting
        return gone


class KernelHeap:
    """The heap as the kernel's parts use it (runtime.kernel.base.budgets.Allowance).

    `current` returns the thread that the kernel works for; of `hooks` it asks whether functions are watched.
    """

    def __init__(self, inner: Heap, current: Callable[[], Caller], hooks: Hooks) -> None:
        self.inner = inner
        self.pieces = _Pieces()
        self._current = current
        self._hooks = hooks

    def take(self, size: int) -> None:
        """Account for `size` more bytes.  Raises SyscallError(ENOMEM)."""
        if self._hooks.function is not None and size > 0:
            kmem_alloc(self._current(), self, size)
        else:
            inner = self.inner
            used = inner.used + size
            if used < inner.paid:
                inner.used = used
            else:
                inner.take(size)

    def give(self, size: int) -> None:
        """Account for `size` less bytes."""
        if self._hooks.function is not None and size > 0:
            thread = self._current()
            for address, part in self.pieces.give(size):
                kmem_free(thread, self, address, part)
        else:
            self.inner.give(size)
