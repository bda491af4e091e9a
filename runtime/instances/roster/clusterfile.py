"""A cluster described in TOML: which instances there are, and what is allowed to them.

    [cluster]
    scheduler = "local:2"       # worker processes; or tcp://host:8786, tls://… of dask.distributed
    quantum = "1ms"             # all in lockstep; without it they run a reporting interval at a time
    heartbeat = "1s"            # an instance of which nothing is heard for three of these is lost

    [[instance]]
    path = "p1"                 # "host" is the machine in which dtrace runs
    image = "p1.toml"           # what runs in it, as of dtrace's --image
    options = { ncpus = 2 }     # -x options of the machine
    trust = "full"              # or "none": all that it says is checked
    destructive = true          # destructive actions are allowed there, if -w is given

    [[instance]]
    path = "p1/vm1"             # a machine that a process of p1 runs
    count = 20                  # p1/vm1 to p1/vm20
    trust = "none"

    [[instance]]
    path = "far"
    address = "tls://far.example:7070"  # where `dinstance serve` is; or tcp://
    ca = "ca.pem"               # whom it must be certified by
    cert = "me.pem"             # how we prove who we are
    key = "me.key"

    [[instance]]
    path = "once"
    recording = "once.frames"   # frames that were recorded (with record = "once.frames")

    [limits]                    # of each instance
    providers = 256
    probes = 100_000
    keys = 50_000
    bytes_per_s = "4MB"
    deadline = "60s"            # for any answer
    destructive = false

Paths of the host are relative to the file.
"""

from __future__ import annotations

import os
import re

from dc.options import OptionError, parse_rate, parse_size
from dif.limits import SECOND
from dif.records import Record, field
from dof.options import TABLE, Phase
from runtime.instances.roster.paths import HOST, mistake_in
from runtime.kernel.base.tomlfile import DescriptionError, DescriptionReader, Table

MOST_INSTANCES = 100_000
MOST_WORKERS = 256
TRUSTED, UNTRUSTED = "full", "none"


class ClusterError(DescriptionError):
    """A cluster that cannot be used; the message begins with file and line."""


class Limits(Record, frozen=True):
    """What one instance may claim.  `deadline` is nanoseconds, `bytes_per_s` 0 for any number."""

    providers: int = 256
    probes: int = 100_000
    keys: int = 50_000
    bytes_per_s: int = 0
    deadline: int = 60 * SECOND
    destructive: bool = False


class InstanceEntry(Record, frozen=True):
    """One instance; at most one of `address` and `recording` says that it is no machine started here."""

    path: str
    line: int = 0
    image: str = ""
    options: tuple[tuple[str, str], ...] = ()
    trusted: bool = True
    destructive: bool = False
    address: str = ""
    ca: str = ""
    cert: str = ""
    key: str = ""
    recording: str = ""
    record: str = ""

    @property
    def parent(self) -> str:
        return self.path.rpartition("/")[0]


class ClusterFile(Record, frozen=True):
    """A description that has been read and checked.  The first instance is always the host."""

    path: str
    instances: tuple[InstanceEntry, ...]
    workers: int = 0  # processes of this host between the root and the instances
    scheduler: str = ""  # of dask.distributed
    quantum: int = 0
    heartbeat: int = SECOND
    limits: Limits = field(default_factory=Limits)
    scheduler_line: int = 0

    def children(self, path: str) -> list[InstanceEntry]:
        """The instances directly below one."""
        return [each for each in self.instances if each.parent == path and each.path != path]

    def below(self, path: str) -> list[InstanceEntry]:
        """The instances at all levels below one."""
        return [each for each in self.instances if each.path.startswith(path + "/")]


def read_cluster(path: str) -> ClusterFile:
    """Read and check a description.  Raises ClusterError."""
    return _Reader(path).read()


class _Reader(DescriptionReader):
    _error_type = ClusterError

    def read(self) -> ClusterFile:
        self._known(cluster=dict, instance=list, limits=dict)
        table = self._tables.get("cluster", {})
        self._keys("cluster", 0, table, "scheduler", "quantum", "heartbeat")
        workers, scheduler = self._scheduler(table)
        entries = [entry for at, each in enumerate(self._each("instance"))
                   for entry in self._instances(at, each)]
        if len(entries) > MOST_INSTANCES:
            raise self._error("instance", 0, None, f"{len(entries)} are more than {MOST_INSTANCES} instances")
        limits = self._limits()
        if limits.destructive:
            from dif.records import replace

            entries = [replace(each, destructive=True) for each in entries]
        return ClusterFile(self._path, self._checked(entries), workers, scheduler,
                           self._time("cluster", table, "quantum", 0),
                           self._time("cluster", table, "heartbeat", SECOND), limits,
                           self._line("cluster", 0, "scheduler"))

    def _scheduler(self, table: Table) -> tuple[int, str]:
        text = self._text("cluster", 0, table, "scheduler") or "local"
        local = re.fullmatch(r"local(?::(\d{1,4}))?", text)
        if local is not None:
            workers = int(local[1] or 0)
            if workers > MOST_WORKERS:
                raise self._error("cluster", 0, "scheduler", f"has more than {MOST_WORKERS} workers")
            return workers, ""
        if not re.fullmatch(r"(tcp|tls)://[^\s/]+:\d{1,5}", text):
            raise self._error("cluster", 0, "scheduler",
                              'must be "local", "local:WORKERS", "tcp://HOST:PORT" or "tls://HOST:PORT"')
        return 0, text

    def _instances(self, at: int, table: Table) -> list[InstanceEntry]:
        """The instances of one table: several, where there is a count."""
        self._keys("instance", at, table, "path", "count", "image", "options", "trust", "destructive",
                   "address", "ca", "cert", "key", "recording", "record")
        path = self._text("instance", at, table, "path", required=True)
        mistake = mistake_in(path or "")
        if path is None or mistake is not None:
            raise self._error("instance", at, "path", mistake or "is missing")
        trust = self._text("instance", at, table, "trust") or TRUSTED
        if trust not in (TRUSTED, UNTRUSTED):
            raise self._error("instance", at, "trust", f'must be "{TRUSTED}" or "{UNTRUSTED}"')
        destructive = table.get("destructive", False)
        if not isinstance(destructive, bool):
            raise self._error("instance", at, "destructive", "must be true or false")
        self._one_kind(at, table)
        files = {key: self._file(at, table, key) for key in ("image", "ca", "cert", "key", "recording")}
        record = self._text("instance", at, table, "record") or ""
        count = self._number("instance", at, table, "count", 1, MOST_INSTANCES)
        return [InstanceEntry(each, self._line("instance", at, "path"), files["image"],
                              self._options(at, table), trust == TRUSTED, destructive,
                              self._address(at, table), files["ca"], files["cert"], files["key"],
                              files["recording"], self._beside(record) if record else "")
                for each in _counted(path, count)]

    def _one_kind(self, at: int, table: Table) -> None:
        """Refuse keys that exclude one another."""
        kinds = [key for key in ("address", "recording") if key in table]
        others = [key for key in ("image", "options") if key in table] if kinds else []
        if len(kinds + others) > 1:
            raise self._error("instance", at, (kinds + others)[1], f"cannot stand beside {kinds[0]}")
        if kinds and "count" in table:
            raise self._error("instance", at, "count", f"cannot stand beside {kinds[0]}")
        if "key" in table and "cert" not in table:
            raise self._error("instance", at, "key", "needs a cert beside it")
        for key in ("ca", "cert", "key"):
            if key in table and not str(table.get("address", "")).startswith("tls://"):
                raise self._error("instance", at, key, "is for an address that begins with tls://")

    def _address(self, at: int, table: Table) -> str:
        address = self._text("instance", at, table, "address") or ""
        if address and not re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^\s/:]+):\d{1,5}", address):
            raise self._error("instance", at, "address", "must be tcp://HOST:PORT or tls://HOST:PORT")
        return address

    def _options(self, at: int, table: Table) -> tuple[tuple[str, str], ...]:
        """The -x options of a machine."""
        values = table.get("options", {})
        if not isinstance(values, dict):
            raise self._error("instance", at, "options", "must be a table of options of the machine")
        for name, value in values.items():
            row = TABLE.get(name)
            if row is None or row.phase != Phase.BOOT or name == "image":
                raise self._error("instance", at, "options", f"{name} is no option of the machine")
            if isinstance(value, bool) or not isinstance(value, int | str):
                raise self._error("instance", at, "options", f"{name} must be a number or a string")
        return tuple((name, str(value)) for name, value in values.items())

    def _beside(self, name: str) -> str:
        return os.path.join(os.path.dirname(self._path), name)

    def _file(self, at: int, table: Table, key: str) -> str:
        """The path of a file that must be there."""
        name = self._text("instance", at, table, key)
        if not name:
            return ""
        path = self._beside(name)
        try:
            with open(path, "rb"):
                return path
        except OSError as error:
            raise self._error("instance", at, key, f"{name}: {error.strerror}") from None

    def _limits(self) -> Limits:
        table = self._tables.get("limits", {})
        self._keys("limits", 0, table, "providers", "probes", "keys", "bytes_per_s", "deadline",
                   "destructive")
        usual = Limits()

        def most(key: str, default: int) -> int:
            return self._number("limits", 0, table, key, 1, 1 << 31) or default

        rate = 0
        if "bytes_per_s" in table:
            text = str(table["bytes_per_s"]).removesuffix("B").removesuffix("b")
            try:
                rate = parse_size(text)
            except OptionError:
                rate = 0
            if not rate:
                raise self._error("limits", 0, "bytes_per_s", 'must be a size, as in "4MB"')
        destructive = table.get("destructive", False)
        if not isinstance(destructive, bool):
            raise self._error("limits", 0, "destructive", "must be true or false")
        return Limits(most("providers", usual.providers), most("probes", usual.probes),
                      most("keys", usual.keys), rate,
                      self._time("limits", table, "deadline", usual.deadline), destructive)

    def _time(self, name: str, table: Table, key: str, default: int) -> int:
        if key not in table:
            return default
        try:
            found = parse_rate(str(table[key]))
        except OptionError:
            found = 0
        if not found:
            raise self._error(name, 0, key, 'must be a time, as in "1ms"')
        return found

    def _checked(self, entries: list[InstanceEntry]) -> tuple[InstanceEntry, ...]:
        """All instances, the host first, once it is clear that they make trees."""
        by_path: dict[str, InstanceEntry] = {}
        for entry in entries:
            other = by_path.setdefault(entry.path, entry)
            if other is not entry:
                raise self._at(entry, f"{entry.path} is in line {other.line} already: "
                               "give this one a path of its own")
        for entry in entries:
            if entry.path == HOST and (entry.address or entry.recording or not entry.trusted):
                raise self._at(entry, "the host is the machine in which dtrace runs")
            above = by_path.get(entry.parent)
            if entry.parent and above is None and entry.parent != HOST:
                raise self._at(entry, f"there is no instance {entry.parent} that it could be in: "
                                      "describe that one, too")
            if above is not None and (above.recording or above.address):
                raise self._at(entry, f"{above.path} is not started here, and says itself what is in it")
        host = by_path.pop(HOST, None) or InstanceEntry(HOST)
        return (host, *by_path.values())

    def _at(self, entry: InstanceEntry, reason: str) -> ClusterError:
        return ClusterError(f"{self._path}:{entry.line}: instance.path: {reason}")


def _counted(path: str, count: int | None) -> list[str]:
    """The paths of so many instances: numbers go on from that at the end of the path."""
    if count is None:
        return [path]
    stem = path.rstrip("0123456789")
    first = int(path[len(stem):] or 1)
    return [f"{stem}{number}" for number in range(first, first + count)]
