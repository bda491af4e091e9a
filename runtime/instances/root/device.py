"""The device of all instances: a consumer's requests, each answered by the part that it is for."""

from __future__ import annotations

from collections.abc import Callable

from runtime.border import Command
from runtime.instances.root.enabling import Enabling
from runtime.instances.root.instances import HOST_NUMBER
from runtime.instances.root.probes import Probes
from runtime.instances.root.root import Root
from runtime.instances.root.snapshots import Snapshots
from runtime.instances.wire import frames as f

_OF_FIRST = frozenset((Command.DOFGET, Command.CONF))  # what the first traced instance answers


class ClusterDevice:
    """The device of all instances (runtime.border.Device)."""

    def __init__(self, root: Root, probes: Probes, snapshots: Snapshots) -> None:
        self._root = root
        self._snapshots = snapshots
        enabling = Enabling(root, probes)
        self._handlers: dict[Command, Callable[[bytes], bytes]] = {
            Command.PROVIDER: probes.provider, Command.PROBEMATCH: probes.match,
            Command.ENABLE: enabling.enable, Command.GO: enabling.go, Command.STOP: enabling.stop,
            Command.STATUS: snapshots.status, Command.BUFSNAP: snapshots.buffer,
            Command.AGGSNAP: snapshots.aggregations}

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        """Carry out a request; returns its result.  Raises BorderError."""
        handler = self._handlers.get(command)
        if handler is not None:
            return handler(payload)
        if command in _OF_FIRST:
            first = self._root.active[0] if self._root.active else HOST_NUMBER
            return self._root.one(f.Ask(first, command, payload))
        number = int.from_bytes(payload[:4] if command != Command.FORMAT else payload[:2], "little")
        known = self._snapshots.described.get((command, number))
        if known is None:
            known = self._root.one(f.Ask(f.EVERY, command, payload))
        return known

    def close(self) -> None:
        """The instances end with the cluster."""
