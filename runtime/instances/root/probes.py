"""Providers and probes: which instances are asked for them, and whose a probe is."""

from __future__ import annotations

import errno
from contextlib import suppress

from runtime.border import PROBEDESC, BorderError, Command, ProbeDescription
from runtime.instances.hop.children import Instance
from runtime.instances.root.instances import HOST_NUMBER
from runtime.instances.root.root import Root
from runtime.instances.roster.paths import HOST
from runtime.instances.wire import frames as f

SAMPLED = 3  # instances that a compiler asks for probes, where a pattern means many


class Probes:
    """The probes of all instances."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._owners: dict[int, int] = {}  # the instance of each probe that was told
        self.among: set[int] | None = None  # instances that are asked alone: those of one group
        self.listing = False  # all probes are wanted, not enough for a compiler to know them

    def owner(self, probe: int) -> int:
        """The number of the instance that has a probe."""
        return self._owners.get(probe, HOST_NUMBER)

    def instance_of(self, probe: int) -> str:
        """The path of the instance that has a probe."""
        owner = self._owners.get(probe)
        return self._root.instances[owner].path if owner is not None else HOST

    def count(self, instance: Instance) -> int:
        """How many probes an instance has; 0 where it cannot be asked."""
        wanted = ProbeDescription(0, "", "", "", "").pack()
        with suppress(BorderError):
            return len(self._root.one(f.Ask(instance.number, Command.PROBEMATCH, wanted))) // PROBEDESC.size
        return 0

    def provider(self, payload: bytes) -> bytes:
        """Describe a provider.  Raises BorderError."""
        error = BorderError(errno.ESRCH, "no such provider")
        for instance in self._grouped(self._root.instances.ready())[:SAMPLED]:
            try:
                return self._root.one(f.Ask(instance.number, Command.PROVIDER, payload))
            except BorderError as refused:
                error = refused
        raise error

    def match(self, payload: bytes) -> bytes:
        """Describe the probes that a description matches at instances.  Raises BorderError."""
        wanted, pattern = payload[:PROBEDESC.size], payload[PROBEDESC.size:].decode()
        meant = self._grouped(self._root.instances.meant(pattern))
        found: list[bytes] = []
        for instance in meant:
            try:
                data = self._root.one(f.Ask(instance.number, Command.PROBEMATCH, wanted))
            except BorderError as error:
                if error.errno != errno.ESRCH:
                    raise
                continue
            found.append(data)
            for at in range(0, len(data), PROBEDESC.size):
                self._owners[ProbeDescription.unpack(data, at).id] = instance.number
            if not self.listing and len(found) >= SAMPLED:
                break
        if not found:
            raise BorderError(errno.ESRCH, "no probe matches")
        return b"".join(found)

    def _grouped(self, instances: list[Instance]) -> list[Instance]:
        """Those of them that are asked now; all, if none is: then it does not matter for what is compiled."""
        if self.among is None or self.listing:
            return instances
        return [each for each in instances if each.number in self.among] or instances
