"""Connections to instances on other hosts: TCP, with or without TLS, and sessions that survive them.

A connection begins with 16 bytes from the parent: the session that it wants to go on with, or zeros.  TLS
begins behind them.  The first 16 bytes of the answer are the session that it has.
"""

from __future__ import annotations

import socket
import ssl
from uuid import UUID

from dif.records import Record
from runtime.instances.roster.clusterfile import InstanceEntry
from runtime.instances.roster.identities import NONE
from runtime.instances.wire.links import SocketTransport, Transport

TIMEOUT = 10.0  # seconds to connect
SESSION = 16  # bytes of a session's id


class SessionTransport(SocketTransport):
    """A connection, and the session that it is of."""

    def __init__(self, connection: socket.socket, session: UUID) -> None:
        super().__init__(connection)
        self.session = session


def split(address: str) -> tuple[str, str, int]:
    """Return the scheme, host and port of an address."""
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    return scheme, host.strip("[]"), int(port)


def connect(entry: InstanceEntry, session: UUID = NONE) -> SessionTransport:
    """Connect to where an instance is served, to go on with a session if that is still there.

    Raises OSError.
    """
    scheme, host, port = split(entry.address)
    connection = socket.create_connection((host, port), TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        connection.sendall(session.bytes)
        if scheme == "tls":
            connection = client_context(entry).wrap_socket(connection, server_hostname=host)
        has = UUID(bytes=exactly(connection, SESSION))
        connection.settimeout(None)
        return SessionTransport(connection, has)
    except ssl.SSLCertVerificationError as error:
        connection.close()
        raise Untrusted(f"its certificate does not match: {error.verify_message}",
                        "say with ca = FILE who has certified it") from None
    except ssl.SSLError as error:
        connection.close()
        raise Untrusted(f"TLS: {error.reason}", "do both ends speak TLS, and are cert and key what it "
                        "wants?") from None
    except OSError:
        connection.close()
        raise


class Sessions(Record):
    """Connects again to where an instance is served; `session` is what we had, or have."""

    entry: InstanceEntry
    session: UUID

    def __call__(self) -> tuple[Transport, bool]:
        transport = connect(self.entry, self.session)
        before, self.session = self.session, transport.session
        return transport, before == transport.session


def advised(error: OSError) -> str:
    """What went wrong with a connection, and what can be done."""
    reason = error.strerror or str(error)
    if isinstance(error, ConnectionRefusedError):
        return f"{reason}: is `dinstance serve` running there?"
    if isinstance(error, Untrusted):
        return f"{reason}: {error.advice}"
    return f"{reason}: can that address be reached?"


class Untrusted(OSError):
    """One end does not believe that the other is who it says; `advice` is what can be done."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(None, reason)
        self.advice = advice


def exactly(connection: socket.socket, count: int) -> bytes:
    """Return so many bytes.  Raises OSError if there are fewer."""
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise OSError(None, "the connection has ended")
        data += piece
    return data


def client_context(entry: InstanceEntry) -> ssl.SSLContext:
    """How we speak TLS: only to whom `ca` has certified, and with a certificate if there is one.

    Raises OSError.
    """
    context = ssl.create_default_context(cafile=entry.ca or None)
    if entry.cert:
        context.load_cert_chain(entry.cert, entry.key or None)
    return context


def server_context(cert: str, key: str, ca: str) -> ssl.SSLContext:
    """How an instance is served: with a certificate, and to those only whom `ca` has certified, if given.

    Raises OSError.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key or None)
    if ca:
        context.load_verify_locations(ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context
