"""Relays on the workers of dask.distributed: the way from the root to other hosts that are ours.

On each worker an actor keeps a process with a relay in it (workerprocess.py).  It carries the bytes of frames
to that process and back, one call a request.  Only what is trusted is a dask peer: an instance never is, it
speaks frames to its relay.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec

from distributed import Actor, Client

from runtime.instances.hop.children import Child
from runtime.instances.roster.clusterfile import ClusterError, ClusterFile, InstanceEntry
from runtime.instances.wire import frames as f
from runtime.instances.wire.links import READING, Link

PATIENCE = 10.0  # seconds to reach the scheduler, and a worker to say that it is alive
BEGINNING = 60.0  # seconds for a worker to begin, which has to load this package first
HALT = f.HEADER.unpack_from(f.write(f.Halt()))[1]  # its code
_NEEDED = "runtime.instances.starting.workerprocess"
_NONE = "it has no workers: start some with `dask worker`"


RELAY = "runtime.instances.starting.workerprocess"


class RelayActor:
    """Lives on a worker.  `specification` is what the module that runs in the relay's process takes.

    A worker runs plain methods one at a time in a thread, and coroutines beside them at any time.
    """

    def __init__(self, specification: str, module: str = RELAY) -> None:
        self._ours, theirs = socket.socketpair()
        self._sending = threading.Lock()
        self._began = time.monotonic()
        self._heard = 0.0  # when the process last said something; it says nothing while it loads this package
        self._process = subprocess.Popen([sys.executable, "-m", module, str(theirs.fileno())],
                                         stdin=subprocess.PIPE, pass_fds=[theirs.fileno()])
        theirs.close()
        assert self._process.stdin is not None
        self._process.stdin.write(specification.encode())
        self._process.stdin.close()

    def exchange(self, data: bytes) -> bytes:
        """Carry a request down; returns the whole answer.  Raises OSError."""
        self._send(data)
        number = f.HEADER.unpack_from(data)[2]
        got, at = bytearray(), 0
        while True:
            while len(got) - at >= f.HEADER.size:
                size, code, answered = f.HEADER.unpack_from(got, at)
                if len(got) - at < f.HEADER.size + size:
                    break
                at += f.HEADER.size + size
                if f.UP[code].type is f.Done and answered == number:
                    return bytes(got)
            piece = self._ours.recv(READING)
            if not piece:
                raise OSError("the relay's process has ended")
            got += piece
            self._heard = time.monotonic()

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._ours.sendall(data)
        if self._heard:
            self._heard = time.monotonic()

    async def halt(self, data: bytes) -> None:
        """Carry something down that has no answer, while another request is under way."""
        self._send(data)

    async def silence(self) -> float:
        """Return for how many seconds the process has sent nothing, not even that it is busy."""
        now = time.monotonic()
        return now - self._heard if self._heard or now > self._began + BEGINNING else 0.0

    async def end(self) -> None:
        """End the process and all below it."""
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._process.wait, PATIENCE)
        self._process.kill()
        self._ours.close()


class ActorTransport:
    """The way to one relay (runtime.instances.wire.links.Transport)."""

    def __init__(self, actor: Actor, worker: str) -> None:
        self._actor, self._worker = actor, worker
        self._future: object | None = None

    def send(self, data: bytes) -> None:
        try:
            if f.HEADER.unpack_from(data)[1] == HALT:
                self._actor.halt(data)
            else:
                self._future = self._actor.exchange(data)
        except Exception as error:
            raise OSError(None, f"worker {self._worker}: {error}") from None

    def receive(self, seconds: float) -> bytes | None:
        future, self._future = self._future, None
        if future is None:
            return None
        try:
            answer: bytes = future.result(timeout=max(seconds / 2, 0.1))  # type: ignore[attr-defined]
            return answer
        except TimeoutError:
            self._future = future
            return self._beat(max(seconds, 0.1))
        except Exception as error:
            raise OSError(None, f"worker {self._worker}: {error}") from None

    def _beat(self, seconds: float) -> bytes:
        """A beat, if worker and relay are alive: its host may be gone without a word.  Raises OSError.

        The relay may be silent for so long; a worker may do other things, too, and has more time.
        """
        try:
            silent: float = self._actor.silence().result(timeout=max(seconds, PATIENCE))
        except TimeoutError:
            silent = max(seconds, PATIENCE)
        except Exception as error:
            raise OSError(None, f"worker {self._worker}: {error}") from None
        if silent >= seconds:
            raise OSError(None, f"worker {self._worker}: nothing was heard for {silent:.1f} s")
        return f.write(f.Beat())

    def close(self) -> None:
        with suppress(Exception):
            self._actor.end()


def _connection(address: str, reason: str) -> str:
    """Why there is none to a scheduler, and what can be done."""
    if address.startswith("tls://") and "Timed out" not in reason:
        return (f"no TLS with {address}: {reason}: its certificates are named in dask's settings, under "
                "distributed.comm.tls")
    return f"nothing answers at {address}: {reason}: start it with `dask scheduler`"


class DaskEngine:
    """The workers of one scheduler.  Raises ClusterError."""

    def __init__(self, description: ClusterFile, options: Mapping[str, object]) -> None:
        self._description, self._options = description, options
        self._place = f"{description.path}:{description.scheduler_line}: cluster.scheduler"
        try:
            self._client = Client(description.scheduler, timeout=PATIENCE)
        except (OSError, ValueError, TypeError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise ClusterError(f"{self._place}: {_connection(description.scheduler, reason)}") from None

    def children(self, first: int) -> list[Child]:
        """A relay on each worker, with its share of the instances."""
        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            self.close()
            raise ClusterError(f"{self._place}: {self._description.scheduler}: {_NONE}")
        self._require_package()
        top = [entry for entry in self._description.instances[1:] if not entry.parent]
        made: list[Child] = []
        for number, address in enumerate(workers):
            share = top[number::len(workers)]
            if share:
                link = Link(self._begun(address, share), heartbeat=self._description.heartbeat)
                made.append(Child(first + len(made), "", link))
        return made

    def _require_package(self) -> None:
        """Ask each worker for our package: one that has not got it would end with the first actor.

        Raises ClusterError.
        """
        try:
            found = self._client.run(find_spec, _NEEDED, on_error="return")
        except Exception as error:
            found = {self._description.scheduler: error}
        for address, spec in found.items():
            if spec is None or isinstance(spec, Exception):
                self.close()
                reason = f" ({spec})" if spec is not None else ""
                raise ClusterError(f"{self._place}: worker {address} does not have this package{reason}: "
                                   "install it there with pip install 'dtrace-suite[cluster]'")

    def _begun(self, address: str, share: list[InstanceEntry]) -> ActorTransport:
        """Start a relay at a worker."""
        from runtime.instances.starting.workerprocess import specification

        text = specification(self._description, share, self._options)
        try:
            future = self._client.submit(RelayActor, text, actor=True, workers=[address], pure=False,
                                         allow_other_workers=False)
            actor: Actor = future.result(timeout=BEGINNING)  # type: ignore[assignment]
        except Exception as error:
            self.close()
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise ClusterError(f"{self._place}: worker {address} cannot begin: {reason}; this package must "
                               "be there, too, and of the same version") from None
        return ActorTransport(actor, address)

    def close(self) -> None:
        with suppress(Exception):
            self._client.close(timeout=PATIENCE)
