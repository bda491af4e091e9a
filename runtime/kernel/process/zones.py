"""Zones: parts of the machine whose processes see nothing of the others.

Every process is in one zone, which its children inherit.  The global zone sees all zones.  A zone has a root
directory, a node name, a limit of privileges, and its own names of sockets and of System V's communication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import count

from runtime.kernel.base.privileges import ALL
from runtime.kernel.net.loopback import Loopback
from runtime.kernel.net.socket import Network
from runtime.kernel.vfs.vnode import Directory

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import CallerZone

GLOBAL = "global"
MOST = 8192  # zones of one machine (MAX_ZONES)


def is_name(text: str) -> bool:
    """Whether a zone may have a name, as zonecfg(8) has it: it is shorter than ZONENAME_MAX."""
    import re

    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text) is not None


class Zone:
    """One zone.  `path` is its root directory's, from the machine's root; `limit` a set of privileges."""

    def __init__(self, number: int, name: bytes, path: bytes, nodename: bytes, limit: int,
                 wire: Loopback) -> None:
        self.id = number
        self.name = name
        self.path = path
        self.nodename = nodename
        self.domainname = b"(none)"
        self.limit = limit
        self.network = Network(wire, number)
        # of pipes and sockets: no zone learns how many another one makes; netstat wants them of two digits
        self.node_numbers = count(10)
        self.next: Zone | None = None  # on the kernel's list

    @cached_property
    def net_files(self) -> Mapping[bytes, Callable[[], bytes]]:
        """What /proc/net tells of its network: the text of each file."""
        from runtime.kernel.net.listings import listings

        return listings(self.network)

    root: Directory  # the global zone has it once there is a file system

    def sees(self, other: CallerZone) -> bool:
        """Whether its processes know of those of `other`."""
        return self.id == 0 or other is self

    def shown(self, path: bytes) -> bytes:
        """Return a path from the machine's root, as processes of the zone know it.

        The path of what they have from outside (a file that zlogin had open) stays as it is.
        """
        if self.path == b"/" or not (path + b"/").startswith(self.path + b"/"):
            return path
        return path[len(self.path):] or b"/"


class Zones:
    """The zones of one machine: the global one, and those that are added."""

    def __init__(self, wire: Loopback, nodename: bytes) -> None:
        self._wire = wire
        self.global_zone = Zone(0, GLOBAL.encode(), b"/", nodename, ALL, wire)
        self._named = {GLOBAL: self.global_zone}

    def __iter__(self) -> Iterator[Zone]:
        return iter(list(self._named.values()))

    def find(self, name: str) -> Zone | None:
        """Return the zone with a name; None if there is none."""
        return self._named.get(name)

    def add(self, name: str, path: bytes, root: Directory, nodename: bytes, limit: int,
            number: int | None = None) -> Zone:
        """Make a zone; its number is the lowest free one by default.

        Raises ValueError for a name or a number that cannot be, or is taken.
        """
        taken = {zone.id for zone in self}
        if not is_name(name):
            raise ValueError(f"{name!r} is no name for a zone")
        if name in self._named:
            raise ValueError(f"there is a zone {name} already")
        if number is None:
            number = next(free for free in range(1, MOST) if free not in taken)
        if number in taken:
            raise ValueError(f"there is a zone {number} already")
        zone = Zone(number, name.encode(), path, nodename, limit, self._wire)
        zone.root = root
        *_, last = self
        last.next = self._named[name] = zone
        return zone
