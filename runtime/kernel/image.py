"""A machine described in TOML: what it has, and which programs run on it.

    [machine]                       # every table and key is optional
    cpus = 2
    seed = 1                        # varies the scheduler
    walltime = 2026-01-01T00:00:00Z # when it boots
    root = "rootfs"                 # also file, env, memory, processes, openfiles, disk, output, cputime:
                                    # as on the command line, which comes first

    [env]                           # of every process, over the default environment
    LANG = "C"

    [[zone]]
    name = "web"
    root = "/zones/web"             # a directory; if there is none, one with files like the machine's own
    nodename = "web"                # the zone's own name by default
    privileges = "default,dtrace_proc,dtrace_user"  # that its processes can have: names of privileges(7)

    [[user]]
    name = "alice"
    uid = 1000
    gid = 1000
    groups = [4]
    zone = "web"                    # where her processes start; else in the global zone
    privileges = "basic,dtrace_user"  # of her processes; "basic" by default

    [[file]]                        # made in the machine, never on the host
    path = "/etc/motd"
    text = "hello\\n"               # or: from = "host/file", link = "target", directory = true
    mode = "0644"
    owner = "alice"

    [[device]]
    path = "/dev/scratch"
    kind = "zero"                   # null, zero, full, random

    [[process]]
    name = "server"                 # to be named in another's `after`
    command = ["./server", "-v"]    # or one string, split as a shell would
    user = "alice"
    zone = "web"
    privileges = "basic,dtrace_user"  # else those of the user; root has all that the zone can have
    cwd = "/tmp"
    env = { MODE = "test" }
    stdin = "/dev/null"             # files in the machine
    stdout = "/tmp/server.log"
    stderr = "/tmp/server.err"
    delay = 5                       # ms of virtual time after boot
    after = ["setup"]               # starts when these have ended

Processes start in the order they stand in.  Paths of the host are relative to the description.
"""

from __future__ import annotations

import datetime
import os
import re
import shlex
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

from dif.hostfiles import read_whole
from dif.limits import MAX_CPUS
from dif.records import Record, field
from runtime.kernel.base.clock import MICROSECOND, SECOND
from runtime.kernel.base.environment import DEFAULT_ENVIRONMENT
from runtime.kernel.base.identity import Credentials, Identity
from runtime.kernel.base.ids import ROOT
from runtime.kernel.base.privileges import ALL, ZONE_DEFAULT, ZONE_MOST, privilege_set
from runtime.kernel.base.tomlfile import DescriptionError, DescriptionReader, Table
from runtime.kernel.kernel import Kernel
from runtime.kernel.process.process import Process
from runtime.kernel.process.zones import GLOBAL, MOST, is_name

T = TypeVar("T")
DEVICE_KINDS = ("null", "zero", "full", "random")


class ImageError(DescriptionError):
    """A description of a machine that cannot be used."""


class ZoneEntry(Record, frozen=True):
    name: str
    root: str
    nodename: str
    privileges: int
    number: int | None
    line: int


class User(Record, frozen=True):
    name: str
    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    zone: str | None = None
    privileges: int | None = None


class FileEntry(Record, frozen=True):
    """A file to make; exactly one of `data`, `link` and `directory` tells what it is."""

    path: str
    data: bytes | None
    link: str | None
    directory: bool
    mode: int
    owner: str | None


class ProcessEntry(Record, frozen=True):
    command: tuple[str, ...]
    name: str | None = None
    user: str | None = None
    zone: str | None = None
    privileges: int | None = None
    cwd: str | None = None  # where the machine was started, in the global zone; the root in others
    env: Mapping[str, str] = field(default_factory=dict)
    redirections: Mapping[int, str] = field(default_factory=dict)  # descriptor: path in the machine
    delay: int = 0  # ns
    after: tuple[str, ...] = ()
    line: int = 0


class Image(Record):
    """A description that has been read and checked."""

    path: str
    cpus: int | None = None
    seed: int | None = None
    walltime: int | None = None  # ns since 1970
    options: dict[str, object] = field(default_factory=dict)  # those of the command, as they are written
    env: dict[str, str] = field(default_factory=dict)
    zones: list[ZoneEntry] = field(default_factory=list)
    users: dict[str, User] = field(default_factory=dict)
    files: list[FileEntry] = field(default_factory=list)
    devices: dict[str, str] = field(default_factory=dict)  # path: kind
    processes: list[ProcessEntry] = field(default_factory=list)

    def identity(self, name: str, privileges: int | None) -> Identity:
        """Return who a process of a user is: of one described here, of root, or of a number.

        Named privileges are all that root can have, and what others do have.  Raises ValueError for a user
        that there is not.
        """
        number = int(name) if name.isdigit() and int(name) < 1 << 32 else None
        user = self.users.get(name)
        if user is None and number is not None:
            user = User(name, number, number)
        if user is None and name == "root":
            user = User(name, ROOT, ROOT)
        if user is None:
            raise ValueError(f"there is no user {name}")
        named = user.privileges if privileges is None else privileges
        if named is None:
            return Identity(user.uid, user.gid, user.groups)
        limit = named if user.uid == ROOT else ALL
        return Identity(user.uid, user.gid, user.groups, inheritable=named, limit=limit)

    def zone_of(self, name: str) -> str:
        """Return the name of the zone in which a user's processes start."""
        user = self.users.get(name)
        return (user.zone if user is not None else None) or GLOBAL

    def boot(self, kernel: Kernel) -> list[Process]:
        """Furnish a kernel, and start what is to run; returns the processes that start at once.

        Raises ImageError when a file cannot be made or a program cannot be executed.
        """
        return _Boot(self, kernel).run()


def read_image(path: str, options: Collection[str] = (),
               read: Callable[[str], bytes] | None = None) -> Image:
    """Read and check a description, and the files of the host that it names, by `read`.  Raises ImageError.

    `options` are the names of the command's options that its table [machine] may have.
    """
    return _Reader(path, options, read).read()


class _Reader(DescriptionReader):
    """Checks the tables of a description of a machine."""

    _error_type = ImageError

    def __init__(self, path: str, options: Collection[str], read: Callable[[str], bytes] | None) -> None:
        super().__init__(path, read)
        self._options = options
        self._read_file = read or read_whole

    def read(self) -> Image:
        image = Image(self._path)
        self._known(machine=dict, env=dict, zone=list, user=list, file=list, device=list, process=list)
        self._machine(image)
        image.env = self._strings("env", 0, None, self._tables.get("env", {}))
        image.zones = [self._zone(at, table) for at, table in enumerate(self._each("zone"))]
        for at, table in enumerate(self._each("user")):
            user = self._user(at, table)
            image.users[user.name] = user
        image.files = [self._file(at, table) for at, table in enumerate(self._each("file"))]
        for at, table in enumerate(self._each("device")):
            self._device(image, at, table)
        image.processes = [self._process(at, table) for at, table in enumerate(self._each("process"))]
        self._check_names(image)
        return image

    # -- tables

    def _machine(self, image: Image) -> None:
        table = self._tables.get("machine", {})
        self._keys("machine", 0, table, "cpus", "seed", "walltime", *self._options)
        image.cpus = self._number("machine", 0, table, "cpus", 1, MAX_CPUS)
        image.seed = self._number("machine", 0, table, "seed", 0, 1 << 62)
        for name in self._options:
            if name in table:
                image.options[name] = self._option(table, name)
        when = table.get("walltime")
        if when is not None:
            if not isinstance(when, datetime.datetime):
                raise self._error("machine", 0, "walltime", "must be a date and time")
            if when.tzinfo is None:
                when = when.replace(tzinfo=datetime.UTC)
            image.walltime = int(when.timestamp()) * SECOND + when.microsecond * MICROSECOND

    def _option(self, table: Table, name: str) -> object:
        """An option of the command: a text, a number, or a list of texts.  Paths are made the host's."""
        value = table[name]
        texts = value if isinstance(value, list) else [value]
        if not all(type(each) in (str, int) for each in texts):
            raise self._error("machine", 0, name, "must be a string or a number")
        folder = os.path.dirname(self._path)
        if name == "file":
            return [os.path.join(folder, str(each)) for each in texts]
        if name == "root" and value not in ("/", "none"):
            return os.path.join(folder, str(value))
        return value

    def _zone(self, at: int, table: Table) -> ZoneEntry:
        self._keys("zone", at, table, "name", "id", "root", "nodename", "privileges")
        name = self._text("zone", at, table, "name", required=True)
        assert name is not None
        if not is_name(name):
            raise self._error("zone", at, "name", "must be up to 64 letters, digits, or one of . _ -")
        root = self._absolute("zone", at, table, "root") if "root" in table else f"/zones/{name}"
        privileges = self._privileges("zone", at, table)
        return ZoneEntry(name, root, self._text("zone", at, table, "nodename") or name,
                         ZONE_DEFAULT if privileges is None else privileges & ZONE_MOST,
                         self._number("zone", at, table, "id", 1, MOST - 1), self._line("zone", at, None))

    def _privileges(self, table: str, at: int, values: Table) -> int | None:
        text = self._text(table, at, values, "privileges")
        try:
            return None if text is None else privilege_set(text)
        except ValueError as error:
            raise self._error(table, at, "privileges", str(error)) from None

    def _user(self, at: int, table: Table) -> User:
        self._keys("user", at, table, "name", "uid", "gid", "groups", "zone", "privileges")
        name = self._text("user", at, table, "name", required=True)
        uid = self._number("user", at, table, "uid", 0, (1 << 32) - 2, required=True)
        gid = self._number("user", at, table, "gid", 0, (1 << 32) - 2)
        groups = table.get("groups", [])
        if not isinstance(groups, list) or not all(type(group) is int and group >= 0 for group in groups):
            raise self._error("user", at, "groups", "must be a list of numbers")
        assert name is not None and uid is not None
        return User(name, uid, uid if gid is None else gid, tuple(groups),
                    self._text("user", at, table, "zone"), self._privileges("user", at, table))

    def _file(self, at: int, table: Table) -> FileEntry:
        self._keys("file", at, table, "path", "text", "from", "link", "directory", "mode", "owner")
        path = self._absolute("file", at, table, "path")
        kinds = [key for key in ("text", "from", "link", "directory") if key in table]
        if len(kinds) > 1:
            raise self._error("file", at, kinds[1], f"cannot stand beside {kinds[0]}")
        text = self._text("file", at, table, "text")
        data = None if text is None and kinds else (text or "").encode()
        if kinds == ["from"]:
            data = self._host_file(at, table)
        mode = self._text("file", at, table, "mode")
        directory = table.get("directory", False) is True
        if mode is not None and not re.fullmatch("[0-7]{1,4}", mode):
            raise self._error("file", at, "mode", 'must be octal digits, as in "0644"')
        bits = int(mode, 8) if mode else 0o755 if directory else 0o644
        link = self._text("file", at, table, "link")
        return FileEntry(path, data, link, directory, bits, self._text("file", at, table, "owner"))

    def _host_file(self, at: int, table: Table) -> bytes:
        name = self._text("file", at, table, "from", required=True)
        assert name is not None
        try:
            return self._read_file(os.path.join(os.path.dirname(self._path), name))
        except OSError as error:
            raise self._error("file", at, "from", f"{name}: {error.strerror}") from None

    def _device(self, image: Image, at: int, table: Table) -> None:
        self._keys("device", at, table, "path", "kind")
        path = self._absolute("device", at, table, "path")
        kind = self._text("device", at, table, "kind", required=True)
        if kind not in DEVICE_KINDS:
            raise self._error("device", at, "kind", f"must be one of {', '.join(DEVICE_KINDS)}")
        image.devices[path] = kind

    def _process(self, at: int, table: Table) -> ProcessEntry:
        streams = ("stdin", "stdout", "stderr")
        self._keys("process", at, table, "name", "command", "user", "zone", "privileges", "cwd", "env",
                   "delay", "after", *streams)
        command = table.get("command")
        if isinstance(command, str):
            try:
                command = shlex.split(command)
            except ValueError as error:
                raise self._error("process", at, "command", str(error)) from None
        if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
            raise self._error("process", at, "command", "must be a string or a list of strings")
        delay = self._number("process", at, table, "delay", 0, 1 << 40)
        after = table.get("after", [])
        if not isinstance(after, list) or not all(isinstance(name, str) for name in after):
            raise self._error("process", at, "after", "must be a list of names")
        redirections = {number: self._absolute("process", at, table, name)
                        for number, name in enumerate(streams) if name in table}
        return ProcessEntry(
            tuple(command),
            self._text("process", at, table, "name"),
            self._text("process", at, table, "user"),
            self._text("process", at, table, "zone"), self._privileges("process", at, table),
            self._absolute("process", at, table, "cwd") if "cwd" in table else None,
            self._strings("process", at, "env", table.get("env", {})), redirections, (delay or 0) * 1_000_000,
            tuple(after), self._line("process", at, None))

    def _check_names(self, image: Image) -> None:
        names = {entry.name for entry in image.processes}
        before: set[str | None] = set()
        for at, entry in enumerate(image.processes):
            if entry.user is not None and entry.user not in image.users and entry.user != "root":
                raise self._error("process", at, "user", f"there is no user {entry.user}")
            for name in entry.after:
                if name not in before:
                    reason = "stands further down" if name in names else "does not exist"
                    raise self._error("process", at, "after", f"process {name} {reason}")
            before.add(entry.name)
        zones = [GLOBAL, *(zone.name for zone in image.zones)]
        for at in range(len(image.zones)):
            if zones[at + 1] in zones[:at + 1]:
                raise self._error("zone", at, "name", f"there is a zone {zones[at + 1]} already")
        named = {"user": [user.zone for user in image.users.values()],
                 "process": [process.zone for process in image.processes]}
        for table, wanted in named.items():
            for at, zone in enumerate(wanted):
                if zone is not None and zone not in zones:
                    raise self._error(table, at, "zone", f"there is no zone {zone}")
        for at, made in enumerate(image.files):
            if made.owner is not None and made.owner not in image.users and made.owner != "root":
                raise self._error("file", at, "owner", f"there is no user {made.owner}")


class _Boot:
    """Puts a description into effect."""

    def __init__(self, image: Image, kernel: Kernel) -> None:
        self._image = image
        self._kernel = kernel
        self._waiting: list[tuple[ProcessEntry, set[str]]] = []
        self._named: dict[int, str] = {}  # pid: name of the entry
        self._finished: set[str] = set()

    def run(self) -> list[Process]:
        image, kernel = self._image, self._kernel
        if image.walltime is not None:
            kernel.walltime_offset = image.walltime - kernel.hrtime()
        for zone in image.zones:
            self._attempt(zone.line, zone.name, partial(self._zone, zone))
        self._users()
        for entry in image.files:
            self._attempt(0, entry.path, partial(self._file, entry))
        for path, kind in image.devices.items():
            self._attempt(0, path, partial(kernel.vfs.add_device, path, kind))
        kernel.ended.append(self._ended)
        started = []
        for process in image.processes:
            if process.after:
                self._waiting.append((process, set(process.after)))
            elif process.delay:
                kernel.scheduler.at(kernel.hrtime() + process.delay, partial(self._late, process))
            else:
                started.append(self._start(process))
        return started

    def _attempt(self, line: int, what: str, action: Callable[[], T]) -> T:
        """Do `action`.  An OSError becomes an ImageError."""
        try:
            return action()
        except OSError as error:
            place = f"{self._image.path}:{line}" if line else self._image.path
            raise ImageError(f"{place}: {what}: {error.strerror}") from None

    def _zone(self, entry: ZoneEntry) -> None:
        kernel = self._kernel
        try:
            kernel.zones.add(entry.name, os.fsencode(entry.root), kernel.vfs.zone_root(entry.root),
                             os.fsencode(entry.nodename), entry.privileges, entry.number)
        except ValueError as error:
            raise ImageError(f"{self._image.path}:{entry.line}: zone: {error}") from None

    def _owner(self, name: str | None) -> Credentials:
        user = self._image.users.get(name or "root")
        return Credentials(user.uid, user.gid, user.groups) if user else Credentials()

    def _users(self) -> None:
        """Write the files in which programs find the users' names, in each zone for itself."""
        users: Sequence[User] = list(self._image.users.values())
        for user in users:
            self._kernel.users[user.name] = self._image.identity(user.name, None)
        accounts = "".join(f"{user.name}:x:{user.uid}:{user.gid}::/:/bin/sh\n" for user in users)
        groups = "".join(f"{user.name}:x:{user.gid}:\n" for user in users)
        roots = {id(zone.root): os.fsdecode(zone.path).rstrip("/") for zone in self._kernel.zones}
        for root in roots.values():
            for path, more in ((f"{root}/etc/passwd", accounts), (f"{root}/etc/group", groups)):
                if more:
                    self._attempt(0, path, partial(self._kernel.vfs.append, path, more.encode()))

    def _file(self, entry: FileEntry) -> None:
        vfs, owner = self._kernel.vfs, self._owner(entry.owner)
        if entry.directory:
            vfs.add(entry.path, stat.S_IFDIR | entry.mode, owner)
        elif entry.link is not None:
            vfs.add(entry.path, stat.S_IFLNK | 0o777, owner, os.fsencode(entry.link))
        else:
            vfs.add(entry.path, stat.S_IFREG | entry.mode, owner, entry.data or b"")

    def _start(self, entry: ProcessEntry) -> Process:
        return self._attempt(entry.line, entry.command[0], partial(self._spawn, entry))

    def _spawn(self, entry: ProcessEntry) -> Process:
        kernel = self._kernel
        user = entry.user or "root"
        name = entry.zone or self._image.zone_of(user)
        identity = self._image.identity(user, entry.privileges)
        zone, environment = kernel.zones.find(name), DEFAULT_ENVIRONMENT | self._image.env | dict(entry.env)
        cwd = entry.cwd or (kernel.vfs.home if name == GLOBAL else "/")
        process = kernel.spawn(entry.command, environment, cwd, identity, zone=zone)
        for descriptor, path in entry.redirections.items():
            kernel.vfs.redirect(process.files, descriptor, path, process.credentials, process.fs)
        if entry.name is not None:
            self._named[process.pid] = entry.name
        process.resume()
        return process

    def _late(self, entry: ProcessEntry) -> None:
        """Start a process while the machine runs; if that fails, report it as a shell would."""
        try:
            self._start(entry)
        except ImageError as error:
            os.write(2, f"{error}\n".encode())
            self._over(entry.name)

    def _ended(self, process: Process) -> None:
        self._over(self._named.pop(process.pid, None))

    def _over(self, name: str | None) -> None:
        if name is None:
            return
        self._finished.add(name)
        ready = [entry for entry, names in self._waiting if names <= self._finished]
        self._waiting = [(entry, names) for entry, names in self._waiting if not names <= self._finished]
        for entry in ready:
            self._kernel.scheduler.at(self._kernel.hrtime() + entry.delay, partial(self._late, entry))
