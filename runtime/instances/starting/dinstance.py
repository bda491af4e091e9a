"""dinstance(1): serves a machine of this host to a dtrace on another.

For each session a process is started, which makes the machine and lives until its dtrace ends it, or has been
gone for too long.  A connection that breaks and comes again goes on with its session.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import ssl
import uuid
from contextlib import suppress
from uuid import UUID

import click

from dif.limits import SECOND
from dif.records import Record, field
from dof.options import TABLE, Phase
from runtime.instances.roster.clusterfile import ClusterError, ClusterFile, InstanceEntry, read_cluster
from runtime.instances.roster.paths import HOST
from runtime.instances.starting.starter import Starter, load
from runtime.instances.wire.links import MISSED
from runtime.instances.wire.network import SESSION, exactly, server_context
from runtime.instances.wire.service import Service

GREETING = 5.0  # seconds that a new connection has to say what it wants
ABSENCE = 10 * MISSED  # heartbeats after which a dtrace that has gone does not come again
MOST_SESSIONS = 64


class Server(Record):
    """What is served.  `sessions` leads from a session's id to the way to its process and its number."""

    starter: Starter
    tls: ssl.SSLContext | None = None
    sessions: dict[UUID, tuple[socket.socket, int]] = field(default_factory=dict)

    def accept(self, listener: socket.socket) -> None:
        """Hand a new connection to its session, or begin one."""
        connection, _address = listener.accept()
        with connection:
            connection.settimeout(GREETING)
            try:
                wanted = UUID(bytes=exactly(connection, SESSION))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                return
            connection.settimeout(None)
            self._reap()
            if wanted not in self.sessions:
                if len(self.sessions) >= MOST_SESSIONS:
                    return
                wanted = self._begin(listener)
            with suppress(OSError):
                socket.send_fds(self.sessions[wanted][0], [b"."], [connection.fileno()])

    def _begin(self, listener: socket.socket) -> UUID:
        """Start the process of a new session."""
        session = uuid.uuid4()
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                listener.close()
                ours.close()
                for other, _pid in self.sessions.values():
                    other.close()
                self._serve(session, theirs)
                status = 0
            finally:
                os._exit(status)
        theirs.close()
        self.sessions[session] = ours, pid
        return session

    def _serve(self, session: UUID, control: socket.socket) -> None:
        """Be the process of a session, to its end."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        service: Service | None = None
        patience = ABSENCE * self.starter.description.heartbeat / SECOND
        while service is None or not service.closed:
            if not select.select([control], [], [], patience)[0]:
                break
            _data, descriptors, _flags, _address = socket.recv_fds(control, 1, 1)
            if not descriptors:
                break
            with suppress(OSError), socket.socket(fileno=descriptors[0]) as raw:
                raw.settimeout(GREETING)
                connection = self.tls.wrap_socket(raw, server_side=True) if self.tls is not None else raw
                connection.sendall(session.bytes)
                connection.settimeout(None)
                if service is None:
                    service = Service(self.starter.served(), self.starter.description.heartbeat)
                service.serve(connection)
                connection.close()
            if service is None or not service.asked:
                break
        if service is not None:
            service.end()
        self.starter.end()

    def _reap(self) -> None:
        """Forget sessions whose processes have ended."""
        for session, (control, pid) in list(self.sessions.items()):
            if os.waitpid(pid, os.WNOHANG)[0]:
                control.close()
                del self.sessions[session]

    def close(self) -> None:
        for control, pid in self.sessions.values():
            control.close()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


class _Ended(Exception):
    """A signal asks the server to end."""


def _end(_number: int, _frame: object) -> None:
    raise _Ended


def _options(words: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The -x options of the machine.  Raises ClickException."""
    found = []
    for word in words:
        name, _, value = word.partition("=")
        if name not in TABLE or TABLE[name].phase != Phase.BOOT:
            raise click.ClickException(f"-x {name}: it is no option of the machine")
        found.append((name, value))
    return tuple(found)


def _listener(address: str) -> socket.socket:
    """Listen.  Raises ClickException."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise click.ClickException(f"--listen {address}: it must be HOST:PORT")
    try:
        return socket.create_server((host.strip("[]") or "0.0.0.0", int(port)))
    except (OSError, OverflowError) as error:
        raise click.ClickException(f"cannot listen at {address}: {error}") from None


_MORE = "More: dtrace --explain --cluster, and the manual's chapter on many instances"


@click.group(epilog=_MORE)
def dinstance() -> None:
    """Machines for a dtrace on another host."""


@dinstance.command(epilog=_MORE)
@click.option("--listen", required=True, metavar="HOST:PORT", help="where dtrace connects to; port 0: any")
@click.option("--image", default="", metavar="FILE", help="what the machine has and runs, in TOML")
@click.option("--cluster", default="", metavar="FILE", help="machines that are in it, in TOML")
@click.option("-x", "options", multiple=True, metavar="OPTION=VALUE", help="an option of the machine")
@click.option("--cert", default="", metavar="FILE", help="the certificate of this host: then TLS is spoken")
@click.option("--key", default="", metavar="FILE", help="its key, if the certificate's file does not have it")
@click.option("--ca", default="", metavar="FILE", help="who must have certified those that connect")
def serve(listen: str, image: str, cluster: str, options: tuple[str, ...], cert: str, key: str,
          ca: str) -> None:
    """Serve an emulated machine, a new one for each dtrace that connects."""
    try:
        description = read_cluster(cluster) if cluster else ClusterFile("", (InstanceEntry(HOST),))
    except ClusterError as error:
        raise click.ClickException(str(error)) from None
    own = InstanceEntry(HOST, image=image or description.instances[0].image,
                        options=(*description.instances[0].options, *_options(options)), destructive=True)
    from dif.records import replace

    description = replace(description, instances=(own, *description.instances[1:]))
    try:
        tls = server_context(cert, key, ca) if cert else None
    except OSError as error:
        raise click.ClickException(f"{cert} {key} {ca}".strip() + f": {error.strerror or error}") from None
    if ca and not cert:
        raise click.ClickException("--ca needs --cert")
    listener = _listener(listen)
    load()
    server = Server(Starter(description, serves=True), tls)
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    host, port = listener.getsockname()[:2]
    print(f"serving at {'tls' if tls else 'tcp'}://{host}:{port}", flush=True)
    try:
        while True:
            server.accept(listener)
    except _Ended:
        pass
    finally:
        server.close()
