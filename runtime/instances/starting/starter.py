"""Children come into being: processes of this host, connections to others, recordings.

A machine is a process that is forked from this one, so that what is loaded already is loaded there; its own
machines are processes forked from it.  A worker is such a process without a machine.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from dif.records import Record, field
from runtime.border import BorderError
from runtime.instances.hop.children import Child, Inner
from runtime.instances.hop.relay import Relay
from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry
from runtime.instances.roster.paths import HOST, last
from runtime.instances.wire import frames as f
from runtime.instances.wire.answering import Handler
from runtime.instances.wire.links import Again, Link, Lost, SocketTransport, Transport
from runtime.instances.wire.recording import RecordingTransport, ReplayTransport
from runtime.instances.wire.service import Service

PATIENCE = 2.0  # seconds that a process has to end by itself
LOCAL = 4  # times as many heartbeats may be missed on this host, whose kernel tells when a process ends


class Failed:
    """Stands for a handler that could not be made: says why to the first who asks."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def handle(self, _frame: f.Down) -> Iterator[f.Up]:
        yield f.Refused(0, errno.EINVAL, self._reason)
        yield f.Done(0, 0)

    def interrupt(self) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is open."""


class Starter(Record):
    """Starts what a cluster's file describes.  `options` are the machines', `words` dtrace's arguments."""

    description: ClusterFile
    options: Mapping[str, object] = field(default_factory=dict)
    words: Sequence[str] = ("dtrace",)
    processes: list[int] = field(default_factory=list)
    serves: bool = False  # another host has the root
    links: list[Link] = field(default_factory=list)  # to what was started, or connected to

    # -- what is described -----------------------------------------------------------------------------

    def host(self) -> Child:
        """The machine in which dtrace runs, always the first child."""
        entry = self.description.instances[0]
        return Child(0, HOST, self._forked(entry, HOST, lambda: self._machine(entry)), speaker=HOST)

    def top(self) -> list[InstanceEntry]:
        """The instances at the first level, without the host."""
        return [each for each in self.description.children("") if each.path != HOST]

    def children(self, entries: Sequence[InstanceEntry], first: int) -> list[Child]:
        """The children that are `entries`, numbered from `first`."""
        return [self._child(number, entry) for number, entry in enumerate(entries, first)]

    def _child(self, number: int, entry: InstanceEntry) -> Child:
        name = last(entry.path)
        below = self.description.below(entry.path)
        destructive = entry.destructive or any(each.destructive for each in below)
        return Child(number, name, self._connected(entry, name), entry.trusted, destructive,
                     entry.address.partition("://")[2] or name)

    def _connected(self, entry: InstanceEntry, name: str) -> Link:
        if entry.recording:
            return self._link(entry, ReplayTransport(entry.recording))
        if entry.address:
            from runtime.instances.wire.network import Sessions, advised, connect

            try:
                transport = connect(entry)
            except OSError as error:
                reason = f"{entry.path} does not answer at {entry.address}: {advised(error)}"
                return self._link(entry, ReplayTransport("", reason))
            return self._link(entry, transport, Sessions(entry, transport.session))
        return self._forked(entry, name, lambda: self._machine(entry))

    def _link(self, entry: InstanceEntry, transport: Transport,
              again: Again | None = None, patience: int = 1) -> Link:
        limits, known = self.description.limits, entry.trusted
        if entry.record:
            transport = RecordingTransport(transport, entry.record)
        link = Link(transport, trusted=known, heartbeat=patience * self.description.heartbeat,
                    deadline=0 if known else limits.deadline, rate=0 if known else limits.bytes_per_s,
                    again=again)
        self.links.append(link)
        return link

    def leave(self) -> None:
        """Have everything end that was started, without waiting for answers."""
        for link in self.links:
            with suppress(Lost):
                link.send(f.Close())
            link.close()

    def _machine(self, entry: InstanceEntry) -> Handler:
        """A machine with what is in it."""
        from runtime.instances.endpoint.doings import TracedMachine
        from runtime.instances.endpoint.endpoint import Endpoint
        from runtime.machine import Machine

        inner = self.description.children(entry.path)
        if self.serves and entry.path == HOST:  # to its parent, everything here is in this machine
            inner += self.top()
        options = dict(self.options) | dict(entry.options)
        if entry.image:
            options["image"] = entry.image
        if entry.path != HOST:
            options.pop("spawn", None)
        try:
            machine = Machine(options, self.words if entry.path == HOST else ("dtrace",))
            endpoint = Endpoint(TracedMachine(machine, [last(each.path) for each in inner]))
        except (OSError, ValueError, BorderError) as error:
            return Failed(str(getattr(error, "strerror", None) or error))
        own = Child(0, "", Inner(endpoint), destructive=entry.destructive or entry.path == HOST,
                    speaker=last(entry.path))
        return Relay([own, *self.children(inner, 1)], self.description.limits)

    def served(self) -> Handler:
        """The host with all that is described, for a parent on another host."""
        return self._machine(self.description.instances[0])

    def workers(self, first: int) -> list[Child]:
        """So many processes with a relay each, and the instances dealt out to them."""
        count = self.description.workers
        dealt = [self.top()[number::count] for number in range(count)]
        return [Child(first + number, "", self._forked(self.description.instances[0], f"worker {number + 1}",
                                                       partial(self.relay, entries)))
                for number, entries in enumerate(dealt) if entries]

    def relay(self, entries: Sequence[InstanceEntry]) -> Relay:
        """A relay with these instances below it."""
        return Relay(self.children(entries, 0), self.description.limits)

    # -- processes ---------------------------------------------------------------------------------------

    def _forked(self, entry: InstanceEntry, name: str, make: Callable[[], Handler]) -> Link:
        """A process of this host that serves what `make` makes in it."""
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            self._serve(theirs, name, make)
        theirs.close()
        self.processes.append(pid)
        return self._link(entry, SocketTransport(ours), patience=LOCAL)

    def _serve(self, connection: socket.socket, name: str, make: Callable[[], Handler]) -> None:
        """Be the process, to its end."""
        status = 1
        try:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)  # dtrace itself deals with them, and ends this process
            _close_others(connection.fileno())
            self.processes.clear()
            self.links.clear()
            handler = make()
            Service(handler, self.description.heartbeat).serve(connection)
            with suppress(Lost, OSError):
                handler.close()
            self.end()
            status = 0
        except BaseException as error:  # whatever it is, it must not go on as a second dtrace
            sys.stderr.write(f"dtrace: {name}: {type(error).__name__}: {error}\n")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def end(self) -> None:
        """Wait for the processes that were started; kill those that do not end."""
        until = time.monotonic() + PATIENCE
        for pid in self.processes:
            while not _reaped(pid):
                if time.monotonic() > until:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    with suppress(ChildProcessError):
                        os.waitpid(pid, 0)
                    break
                time.sleep(0.002)
        self.processes.clear()


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _close_others(kept: int) -> None:
    """Close every descriptor but the standard ones and one: an end of a connection that stays open in a
    second process would hide that the first has died."""
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number > 2 and number != kept:
            with suppress(OSError):
                os.close(number)


def load() -> None:
    """Load what every machine needs, so that the processes that are forked have it."""
    import runtime.driver
    import runtime.framework.device
    import runtime.framework.requests
    import runtime.instances.endpoint.doings
    import runtime.kernel.kernel
    import runtime.machine  # noqa: F401
