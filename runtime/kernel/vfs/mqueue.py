"""POSIX message queues: what mq_overview(7) describes, and the files that mq_open(3) opens.

Messages go from hand to hand: a thread that waits for one gets it from who sends it, and one that waits for
room has its message stored by who makes the room.
"""

from __future__ import annotations

import errno
import os
import stat
from bisect import insort
from collections import deque
from collections.abc import Callable
from weakref import WeakSet

from dif.records import NamedTuple
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs.vnode import READABLE, WRITABLE, Attributes, File, Vnode, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.budgets import Allowance
    from runtime.kernel.base.caller import CallerProcess
    from runtime.kernel.base.identity import Credentials

_LETTER = 256  # bytes of kernel memory for a message, besides its text
MOST_PRIORITIES = 32768
STATUS_SIZE = 80  # what stat(2) tells of every queue
_DEVICE = 0x13
_NODE = 48  # bytes that the limit of a user counts for a message, and for a priority


class Message(NamedTuple):
    priority: int
    text: bytes


class Wish:
    """What a waiting thread wants: room for its `message`, or one if it has none; `done`: it got that."""

    def __init__(self, message: Message | None = None) -> None:
        self.message = message
        self.done = False


class Notice(NamedTuple):
    """Whom the next message is announced to: `tell` does it, or says that the wish is over."""

    process: CallerProcess
    signal: int
    kind: int
    tell: Callable[[bool], None]


class Queue(Vnode):
    """One queue.  `messages` are in the order in which they are received."""

    def __init__(self, name: bytes, attributes: Attributes, most: int, largest: int, heap: Allowance) -> None:
        attributes.size, attributes.dev = STATUS_SIZE, _DEVICE
        super().__init__(attributes)
        self.name = name
        self.most = most
        self.largest = largest
        self.messages: list[Message] = []
        self.changed = WaitQueue("mqueue")
        self.notice: Notice | None = None
        self._heap = heap
        self._held = 0
        self._senders: deque[Wish] = deque()
        self._receivers: deque[Wish] = deque()

    def full_path(self) -> bytes:
        return b"/" + self.name

    def open(self, flags: int, credentials: Credentials) -> QueueFile:
        return QueueFile(self, flags)

    @property
    def counted(self) -> int:
        """The bytes that it takes of its user's RLIMIT_MSGQUEUE."""
        return self.most * (self.largest + _NODE) + min(self.most, MOST_PRIORITIES) * _NODE

    def send(self, message: Message) -> Wish | None:
        """Store a message, or return the wish to; raises ENOMEM."""
        if self._receivers:
            self._fulfil(self._receivers.popleft(), message)
            return None
        if len(self.messages) >= self.most:
            wish = Wish(message)
            self._senders.append(wish)
            return wish
        self._store(message)
        if len(self.messages) == 1 and self.notice is not None:
            notice, self.notice = self.notice, None
            notice.tell(True)
        return None

    def receive(self) -> Message | Wish:
        """Take the first of the messages, or return the wish for one."""
        if not self.messages:
            wish = Wish()
            self._receivers.append(wish)
            return wish
        message = self.messages.pop(0)
        self._hold(-_LETTER - len(message.text))
        if self._senders:
            wish = self._senders.popleft()
            assert wish.message is not None
            self._store(wish.message)
            self._fulfil(wish, wish.message)
        self.changed.wake_all()
        return message

    def give_up(self, wish: Wish) -> None:
        """Forget a wish, unless it was fulfilled."""
        for wishes in (self._senders, self._receivers):
            if wish in wishes:
                wishes.remove(wish)

    def forget_notice(self, process: CallerProcess) -> None:
        """Do not tell a process of the next message."""
        if self.notice is not None and self.notice.process is process:
            notice, self.notice = self.notice, None
            notice.tell(False)

    def closed_by(self, process: CallerProcess) -> None:
        self.forget_notice(process)

    def _fulfil(self, wish: Wish, message: Message) -> None:
        wish.message, wish.done = message, True
        self.changed.wake_all()

    def _store(self, message: Message) -> None:
        self._hold(_LETTER + len(message.text))
        insort(self.messages, message, key=lambda each: -each.priority)
        self.changed.wake_all()

    def _hold(self, size: int) -> None:
        if size > 0:
            self._heap.take(size)
        else:
            self._heap.give(-size)
        self._held += size

    def __del__(self) -> None:
        self._heap.give(self._held)


class QueueFile(File):
    """An open queue; read(2) tells of it."""

    vnode: Queue

    def __init__(self, vnode: Queue, flags: int) -> None:
        super().__init__(vnode, flags)
        self.queue = vnode.changed

    def read(self, size: int) -> bytes:
        data = self.pread(self.offset, size)
        self.offset += len(data)
        return data

    def pread(self, offset: int, size: int) -> bytes:
        queue, notice = self.vnode, self.vnode.notice
        held = sum(len(message.text) for message in queue.messages)
        kind, signal, pid = (notice.kind, notice.signal, notice.process.pid) if notice else (0, 0, 0)
        text = f"QSIZE:{held:<10} NOTIFY:{kind:<5} SIGNO:{signal:<5} NOTIFY_PID:{pid:<6}\n"
        return text.encode()[offset:offset + size]

    def poll(self) -> int:
        queue = self.vnode
        return (READABLE if queue.messages else 0) | (WRITABLE if len(queue.messages) < queue.most else 0)


class Queues:
    """The queues that a zone knows by their names."""

    MOST = 256

    def __init__(self, heap: Allowance) -> None:
        self._heap = heap
        self.known: dict[bytes, Queue] = {}
        self._living: WeakSet[Queue] = WeakSet()

    def make(self, name: bytes, attributes: Attributes, most: int, largest: int, room: int) -> Queue:
        """Make a queue; all those of its user may take `room` bytes.  Raises EMFILE."""
        queue = Queue(name, attributes, most, largest, self._heap)
        used = sum(each.counted for each in self._living if each.attributes.uid == attributes.uid)
        if used + queue.counted > room:
            raise failure(errno.EMFILE)
        self._living.add(queue)
        self.known[name] = queue
        return queue

    def unlink(self, name: bytes, credentials: Credentials) -> None:
        """Take a queue's name away.  Raises ENOENT, EPERM."""
        queue = self.known.get(name)
        if queue is None:
            raise failure(errno.ENOENT)
        if not credentials.owns(queue.attributes.uid):
            raise failure(errno.EPERM)  # as in a directory with the sticky bit
        queue.attributes.nlink = 0
        del self.known[name]


def new_attributes(mode: int, credentials: Credentials, now: int) -> Attributes:
    """Return the attributes of a queue that is made now."""
    return Attributes(stat.S_IFREG | mode, credentials.uid, credentials.gid, blocks=0, atime=now, mtime=now,
                      ctime=now, btime=now)


def access_of(flags: int) -> int:
    """Return the rights that O_* flags ask for, as `Vnode.demand` takes them.  Raises EINVAL."""
    rights = {os.O_RDONLY: 4, os.O_WRONLY: 2, os.O_RDWR: 6}.get(flags & os.O_ACCMODE)
    if rights is None:
        raise failure(errno.EINVAL)
    return rights
