"""The top of the tree: many instances as the one device and the one machine that a consumer knows.

A cluster has the methods of a machine (runtime.machine.Machine) that the command uses.  Its CPUs are those of
all instances, one after another; descriptions that name no instance mean the host.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from uuid import UUID

from dc.diagnostics import CompileError
from dc.names.kernelheader import MODULE, MODULES
from dif.isa import NUMBERING
from dif.records import NamedTuple, Record, field, replace
from dof.format import DofError
from dof.model import Ecb, ProbeDesc, Program
from dof.options import TABLE, OptionId
from dof.reader import read
from dof.writer import write
from runtime.border import (
    BUFDESC,
    PROBEDESC,
    RECHDR,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
    Status,
)
from runtime.consumer.events.errors import TraceError, go_error
from runtime.consumer.reader import ERROR_ECB
from runtime.instances.endpoint.doings import types_hash
from runtime.instances.hop.children import Instance
from runtime.instances.hop.clocks import Clock, Estimate, estimate
from runtime.instances.hop.layouts import by_instance
from runtime.instances.hop.ledger import Ledger
from runtime.instances.root.remotetypes import RemoteSystem
from runtime.instances.root.statuses import Statuses
from runtime.instances.roster.clusterfile import ClusterError, ClusterFile
from runtime.instances.roster.identities import NONE
from runtime.instances.roster.paths import HOST, matches
from runtime.instances.starting.launcher import Launcher
from runtime.instances.wire import frames as f
from runtime.instances.wire.verbs import Verb
from runtime.kernel.base.budgets import Budgets, Limits

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import CompileResult
    from dc.types.scopes import Scope
    from runtime.consumer.consumer import Consumer
    from runtime.consumer.reader import Place

_NUMBER = struct.Struct("<i")
_HOST = 0  # the number of the host's instance
SAMPLED = 3  # instances that a compiler asks for probes, where a pattern means many


class Told(NamedTuple):
    """Something that users are told while tracing: `kind` is joined, resumed, lost, quarantined, renamed,
    pocketed, refused, dropped or lies."""

    kind: str
    instance: str
    text: str
    records: int = 0

    @property
    def line(self) -> str:
        tail = f", {self.records} records unacknowledged" if self.kind in ("lost", "quarantined") else \
            f" ({self.records})" if self.records else ""
        return f"instance {self.instance} {self.kind}: {self.text}{tail}" if self.text else \
            f"instance {self.instance} {self.kind}{tail}"


class Group(Record):
    """Instances whose kernels have the same types: `types`, or those of this version of ours."""

    first: int  # whose kernel's symbols are asked for
    types: Scope | None = None
    members: set[int] = field(default_factory=set)


class Part(NamedTuple):
    """A program as it is compiled for a group."""

    group: Group
    result: CompileResult


def kernel_scope(data: bytes) -> Scope:
    """The types of a kernel, from CTF.  Raises ValueError."""
    from dc.types.types import Model
    from runtime.programs.ctf import KernelTypes

    scope = KernelTypes(data, MODULE, Model.LP64).scope
    scope.modules.update(dict.fromkeys(MODULES, scope))
    return scope


class Cluster:
    """Everything that was started for a cluster's file.  Raises ClusterError, TraceError."""

    def __init__(self, description: ClusterFile, options: Mapping[str, object] | None = None,
                 words: Sequence[str] = ("dtrace",)) -> None:
        self.description = description
        self.target = NUMBERING[str((options or {}).get("target", "illumos"))]
        self._launcher = Launcher(description, options or {}, words)
        output = (options or {}).get("output", TABLE["output"].default)
        self.budgets = Budgets(Limits(output=int(str(output))))
        self.budgets.stop = lambda _reason: self.interrupt()
        self.told: list[Told] = []
        self.ledger = Ledger()
        self.clocks: dict[int, Clock] = {}
        self._boots: dict[int, UUID] = {}
        self._away: set[int] = set()  # instances that are lost
        self.statuses = Statuses()
        self.groups = [Group(_HOST)]
        self._systems: dict[int, ClusterSystem] = {}
        self._aggregations: dict[int, str] = {}
        self._halted = False
        self.active: list[int] = []  # instances that are traced
        self.destructive = False  # -w: where the file allows it
        self._granted = 0
        self.interrupted = False
        try:
            self.relay = self._launcher.relay()
            self._join()
        except BaseException:
            self._launcher.leave()
            raise

    def _join(self) -> None:
        """Ask everything who it is."""
        self._types = types_hash()
        self.handle(f.Identify(f.VERSION, f.HOPS, "", (), NONE, 0, self._types))
        failed = [each for each in self.told if each.kind in ("failed", "lost")]
        if failed:
            first = failed[0]
            self.close()
            line = next((each.line for each in self.description.instances if each.path == first.instance), 0)
            place = f"{self.description.path}:{line}" if line else self.description.path
            who = f"instance {first.instance}: " if first.instance else ""
            raise ClusterError(f"{place}: {who}{first.text}")
        for instance in self.instances:
            self.clocks[instance.number] = Clock()
            self._boots[instance.number] = instance.boot
        self.groups = self._grouped()

    def _grouped(self) -> list[Group]:
        """The instances by the types of their kernels; those that have the host's types come first."""
        found: dict[bytes, Group] = {b"": Group(_HOST)}
        sent: dict[tuple[bytes, str], bytes] = {}  # by the hash that was told, the hash of what has come
        for instance in self.instances:
            try:
                found[self._group_of(instance, found, sent)].members.add(instance.number)
            except (BorderError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                text = f"its kernel has other types than ours, and does not say which: {reason}"
                self.told.append(Told("refused", instance.path, text))
                instance.state = "refused"
        return list(found.values())

    def _group_of(self, instance: Instance, found: dict[bytes, Group],
                  sent: dict[tuple[bytes, str], bytes]) -> bytes:
        """The key of an instance's group, by what its types are.  Raises BorderError, ValueError."""
        if instance.types == self._types:
            return b""
        who = "" if self._trusts(instance.path) else instance.path  # it is believed of itself alone
        if (instance.types, who) not in sent:
            data = self.do(Verb.TYPES, instance=instance.number)
            key = hashlib.sha256(data + who.encode()).digest()
            if key not in found:
                found[key] = Group(instance.number, kernel_scope(data))
            sent[instance.types, who] = key
        return sent[instance.types, who]

    def compile(self, consumer: Consumer, compile: Callable[[], CompileResult]) -> list[Part]:
        """Compile a program for each group of instances that it means; `compile` does it once.

        Raises CompileError, and TraceError where an aggregation has another number in one group.
        """
        parts: list[Part] = []
        failures: list[tuple[Group, CompileError]] = []
        for group in self.groups:
            system = self._system if group is self.groups[0] else self._systems.setdefault(
                group.first, ClusterSystem(self, group))
            self.opened.among = group.members
            before = consumer.view(system)
            try:
                parts.append(Part(group, compile()))
            except CompileError as error:
                failures.append((group, self._located(error, group)))
            finally:
                consumer.view(before)
                self.opened.among = None
        if not parts:
            raise failures[0][1]
        patterns = {ecb.probe.instance for ecb in parts[0].result.program.ecbs}
        for group, failure in failures:
            if self._means(patterns, group):
                raise failure
        meant = [each for each in parts if self._means(patterns, each.group)] or parts[:1]
        for part in meant:
            for number, name in part.result.aggregations.items():
                if self._aggregations.setdefault(number, name) != name:
                    path, other = self.relay.instances[part.group.first].path, self._aggregations[number]
                    raise TraceError(f"@{name} cannot be one with @{other} of {path}, whose kernel has other "
                                     "types: give each a dtrace of its own")
        return meant

    def _located(self, error: CompileError, group: Group) -> CompileError:
        """A mistake, with whose types it is about."""
        path = self.relay.instances[group.first].path
        return CompileError([each._replace(message=f"{each.message} (as {path} has it)")
                             for each in error.diagnostics], error.texts)

    def _means(self, patterns: Iterable[str], group: Group) -> bool:
        """Whether one of these patterns means an instance of a group."""
        return any(matches(pattern, self.relay.instances[number].path)
                   for pattern in patterns for number in group.members)

    def _trusts(self, path: str) -> bool:
        """Whether what an instance says is believed."""
        return not any(path == each.path or path.startswith(each.path + "/")
                       for each in self.description.instances if not each.trusted)

    # -- instances ----------------------------------------------------------------------------------------

    @property
    def instances(self) -> list[Instance]:
        """All instances in the order of their numbers."""
        return [self.relay.instances[number] for number in sorted(self.relay.instances)]

    def ready(self) -> list[Instance]:
        return [each for each in self.instances if each.state == "ready"]

    def meant(self, pattern: str) -> list[Instance]:
        """The instances that a pattern means."""
        return [each for each in self.ready() if matches(pattern, each.path)]

    def unmeant(self, pattern: str) -> str:
        """What users are told of a pattern that means no instance."""
        return (f"no instance is called {pattern}: 'dtrace --cluster {self.description.path} --instances' "
                "lists them")

    def probes(self, instance: Instance) -> int:
        """How many probes an instance has; 0 where it cannot be asked."""
        wanted = ProbeDescription(0, "", "", "", "").pack()
        with suppress(BorderError):
            return len(self.one(f.Ask(instance.number, Command.PROBEMATCH, wanted))) // PROBEDESC.size
        return 0

    @property
    def single(self) -> bool:
        """Whether there is nothing but the host: then it is asked exactly as without frames."""
        return len(self.relay.instances) == 1

    @property
    def places(self) -> list[Place]:
        """What each CPU of the device is; nothing where there is only the host."""
        return [] if self.single else [(each.path, cpu) for each in self.instances
                                       for cpu in range(each.cpus)]

    def cpus(self) -> list[tuple[int, int]]:
        """The instance and its CPU, by the number that the device has for it."""
        return [(each.number, cpu) for each in self.instances for cpu in range(each.cpus)]

    # -- frames ------------------------------------------------------------------------------------------

    def handle(self, frame: f.Down) -> list[f.Up]:
        """Have a frame answered; what users are to be told is kept apart."""
        rest: list[f.Up] = []
        for each in self.relay.handle(frame):
            if isinstance(each, f.Notice):
                path = self._path(each.instance, each.text)
                self.told.append(Told(each.kind, path, self._text(each), each.records))
            elif isinstance(each, f.Dropped):
                path = self._path(each.instance, "")
                self.told.append(Told("dropped", path, f"{each.kind} at {each.hop}", each.records))
                self.ledger.drop(path, each.hop, each.kind, each.records)
            elif isinstance(each, f.Retire):
                self._retired(each)
            elif isinstance(each, f.Done):
                self.interrupted = self.interrupted or bool(each.flags & f.INTERRUPTED)
                if _HOST in self.active and each.now:
                    self._granted = each.now
            elif isinstance(each, f.Advertise):
                self._advertised(each)
            else:
                rest.append(each)
        return rest

    def _advertised(self, frame: f.Advertise) -> None:
        """An instance is there, perhaps again."""
        if not self.clocks:  # all are still being asked
            return
        number, before = frame.instance, self._boots.get(frame.instance)
        away = number in self._away
        self._away.discard(number)
        self._boots[number] = frame.boot
        if before == frame.boot and not away:  # with other providers than before
            return
        instance = self.relay.instances[number]
        if before == frame.boot:
            self.ledger.resume(instance.path)
        else:
            self.ledger.restart(instance.path)
            self.statuses.restart(number)
            self.clocks[number] = Clock()
        kind = "resumed" if before == frame.boot else "joined"
        self.told.append(Told(kind, instance.path, instance.system))

    def _retired(self, frame: f.Retire) -> None:
        """An instance is gone."""
        kind, _, reason = frame.reason.partition(": ")
        path = self._path(frame.instance, "")
        self.told.append(Told(kind, path, reason, frame.records))
        self.ledger.lose(path, frame.hop, "quarantined" if kind == "quarantined" else "link", frame.records)
        self._away.add(frame.instance)

    def _path(self, number: int, text: str) -> str:
        instance = self.relay.instances.get(number)
        return instance.path if instance is not None else text.partition(":")[0] if text else "?"

    @staticmethod
    def _text(notice: f.Notice) -> str:
        return notice.text.partition(": ")[2] if notice.instance == f.EVERY and notice.kind == "failed" else \
            notice.text

    def one(self, frame: f.Down) -> bytes:
        """The single answer to a frame.  Raises BorderError."""
        for each in self.handle(frame):
            if isinstance(each, f.Answer):
                return each.data
            if isinstance(each, f.Refused):
                raise self.refusal(each)
        raise BorderError(errno.ENXIO, "the instance does not answer")

    def refusal(self, refused: f.Refused) -> BorderError | TraceError:
        """The error that a refusal is."""
        where = self.where(refused)
        return TraceError(refused.reason + where) if refused.errno == f.FAILED else \
            BorderError(refused.errno, refused.reason + where)

    def where(self, refused: f.Refused) -> str:
        """Who has refused something, where there are several; and what the cluster's file has to say then."""
        instance = self.relay.instances.get(refused.instance)
        if self.single or instance is None:
            return ""
        entry = next((each for each in self.description.instances if each.path == instance.path), None)
        if self.destructive and refused.errno == errno.EACCES and entry is not None and entry.line \
                and not entry.destructive:
            return (f" (instance {instance.path}: {self.description.path}:{entry.line} does not say "
                    "destructive = true)")
        return f" (instance {instance.path})"

    def _require_traced(self) -> None:
        """Raise TraceError if the host, or everything that is traced, is gone."""
        states = [self.relay.instances[number].state for number in self.active]
        if self.relay.instances[_HOST].state != "ready":
            raise TraceError("the host's machine is gone" + self._why(HOST))
        if states and "ready" not in states:
            raise TraceError("no traced instance is left")

    def _why(self, path: str) -> str:
        """The reason for which an instance went, taken from what would be told."""
        for each in self.told:
            if each.instance == path and each.kind == "lost":
                self.told.remove(each)
                return f": {each.text}"
        return ""

    def _check(self, answer: list[f.Up]) -> None:
        """Give up instances whose tracing has failed.  Raises TraceError where that is the host."""
        for each in answer:
            if isinstance(each, f.Refused):
                if each.instance == _HOST:
                    raise self.refusal(each)
                instance = self.relay.instances[each.instance]
                if instance.state == "ready":
                    instance.state = "lost"
                    self._retired(f.Retire(each.instance, instance.path, f"lost: {each.reason}",
                                           instance.unacknowledged))

    def do(self, verb: Verb, *arguments: object, instance: int = _HOST) -> bytes:
        """Have something done at an instance.  Raises BorderError."""
        return self.one(f.Do(instance, verb, json.dumps(arguments).encode()))

    def did(self, verb: Verb, *arguments: object, instance: int = _HOST) -> object:
        """The same, where the result is JSON.  Raises OSError."""
        try:
            return json.loads(self.do(verb, *arguments, instance=instance) or b"null")
        except (ValueError, RecursionError):
            raise BorderError(errno.EPROTO, "the instance answers what makes no sense") from None

    # -- time ----------------------------------------------------------------------------------------------

    def now(self) -> int:
        return self._granted

    def passed(self) -> int:
        """What time it is everywhere that is trusted: nothing older will come from there."""
        times = [each.now for each in self.ready()
                 if each.number in self.active and self._trusts(each.path)]
        return min(times, default=self._granted)

    def wait(self, until: int) -> bool:
        """Let time pass at all traced instances; returns whether one stopped early.

        With a quantum they go in lockstep: none begins a quantum before all have ended the one before.
        """
        quantum, now = self.description.quantum, self._granted
        while True:
            step = min(now + quantum, until) if quantum else until
            early = False
            answer = self.handle(f.Run(step))
            self._check(answer)
            self._require_traced()
            passed = [each for each in answer if isinstance(each, f.Passed)]
            for each in passed:
                self.ledger.produce(self._path(each.instance, ""), each.recorded)
            early = any(each.early for each in passed)
            now = step
            if _HOST not in self.active:
                self._granted = max([step if not early else 0, self._granted + 1,
                                     *(min(each.now, step) for each in passed)])
            halted, self._halted = self._halted, False
            if early or halted or now >= until:
                if not self.single and not quantum:
                    self._stamp()
                return early or halted

    def _stamp(self) -> None:
        """Exchange stamps with the instances whose clocks go by themselves, to know how far they are from the
        host's.  Where the host's does, too, its hop has compared them with that already."""
        sent = self._granted
        found = [each for each in self.handle(f.Stamp(sent)) if isinstance(each, f.Clock)]
        compared = any(each.instance == _HOST for each in found)
        for each in found:
            if each.instance in self.clocks:
                link = Estimate() if compared else estimate(sent, each.received, each.replied, self._granted)
                self.clocks[each.instance].learn(self._granted, Estimate(each.offset, each.error).over(link))

    def interrupt(self) -> None:
        """Make `wait` return early; a signal handler may call this."""
        self._halted = True
        self.relay.interrupt()

    # -- as a machine ---------------------------------------------------------------------------------------

    @property
    def ids(self) -> dict[str, int]:
        """The numbers of dtrace's process in the host."""
        found = self.did(Verb.IDS)
        assert isinstance(found, dict)
        return {str(name): int(value) for name, value in found.items()}

    @cached_property
    def _surroundings(self) -> tuple[bool, dict[str, str]]:
        match self.did(Verb.SURROUNDINGS):
            case [bool(clean), dict(environment)]:
                return clean, {str(name): str(value) for name, value in environment.items()}
        raise TraceError("the host does not say what surrounds its processes")

    @property
    def clean(self) -> bool:
        """Whether the surroundings of its processes are the same everywhere (-x env=clean)."""
        return self._surroundings[0]

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the processes that are started in the host."""
        return dict(self._surroundings[1])

    @cached_property
    def opened(self) -> ClusterDevice:
        """The one open of the device."""
        return ClusterDevice(self)

    @cached_property
    def _system(self) -> ClusterSystem:
        return ClusterSystem(self, self.groups[0])

    def read(self, path: str) -> bytes | None:
        """Return a whole file of the host's machine, None if there is none."""
        return self.do(Verb.FILE, path) or None

    def device(self, _credentials: object = None) -> ClusterDevice:
        return self.opened

    def system(self) -> ClusterSystem:
        return self._system

    def spawn(self, words: Sequence[str], environment: Mapping[str, str] | None = None, evaltime: str = "",
              instance: int = _HOST) -> RemoteProcess:
        """Start a child of dtrace's process at an instance (see Machine.spawn).  Raises OSError."""
        variables = dict(environment) if environment is not None else None
        pid = self.did(Verb.SPAWN, list(words), variables, evaltime, instance=instance)
        assert isinstance(pid, int)
        self._system.target(pid, instance)
        return RemoteProcess(self, instance, pid)

    def grab(self, pid: int, instance: int = _HOST) -> RemoteProcess:
        """Take control of a process of an instance.  Raises OSError."""
        self.did(Verb.GRAB, pid, instance=instance)
        self._system.target(pid, instance)
        return RemoteProcess(self, instance, pid)

    def shell(self, command: bytes, output: int) -> None:
        """Run a shell command in the host's machine.  Raises OSError, TraceError."""
        data = self.do(Verb.SHELL, command.hex())
        while data:
            data = data[os.write(output, data):]

    def tracepoints(self) -> str:
        return str(self.did(Verb.TRACEPOINTS))

    def keep_tracepoints(self) -> None:
        self.did(Verb.KEEP_TRACEPOINTS)

    def unread_types(self) -> list[str]:
        """No line: whose types an instance cannot know is not told across the wire."""
        return []

    def refusals(self, every: bool) -> list[str]:
        return self._texts(Verb.REFUSALS) if every else []

    def unknown_calls(self) -> list[str]:
        return self._texts(Verb.UNKNOWN_CALLS)

    def _texts(self, verb: Verb) -> list[str]:
        """What all traced instances say, with whose it is."""
        lines: list[str] = []
        for instance in self.ready():
            if instance.number in self.active or self.single:
                with suppress(OSError):
                    found = self.did(verb, instance=instance.number)
                    front = "" if self.single else f"{instance.path}: "
                    lines += [f"{front}{each}" for each in (found if isinstance(found, list) else [])]
        return lines

    def settle(self) -> None:
        """Close the accounts of what the instances recorded: nothing more comes."""
        for number, instance in self.relay.instances.items():
            status = self.statuses.of(number)
            lost = status.dyndrops + status.dyndrops_rinsing + status.dyndrops_dirty
            self.ledger.drop(instance.path, instance.path, "dynamic", lost)
        self.ledger.settle()

    def close(self) -> None:
        """End everything that was started, at every instance."""
        if hasattr(self, "relay"):
            with suppress(OSError, TraceError):
                self.handle(f.Close())
            self.relay.close()
        self._launcher.end()


class RemoteProcess:
    """A process of an instance that a consumer controls (runtime.machine.Process)."""

    def __init__(self, cluster: Cluster, instance: int, pid: int) -> None:
        self._cluster, self._instance, self.pid = cluster, instance, pid
        self._status: int | None = None

    @property
    def exit_status(self) -> int | None:
        if self._status is None:
            try:
                found = self._cluster.did(Verb.STATUS, self.pid, instance=self._instance)
            except OSError:
                found = 0  # with its instance it is gone, too
            self._status = found if isinstance(found, int) else None
        return self._status

    def resume(self) -> None:
        self._cluster.did(Verb.RESUME, self.pid, instance=self._instance)


class ClusterSystem(RemoteSystem):
    """runtime.consumer.system.System of all instances, with the types of one group of them."""

    def __init__(self, cluster: Cluster, group: Group) -> None:
        super().__init__(cluster.did, cluster.do,
                         lambda pattern: [each.number for each in cluster.meant(pattern)],
                         cluster.opened.owner, group.first, group.types)
        self._cluster = cluster

    @property
    def ncpus(self) -> int:
        return len(self._cluster.cpus())

    @property
    def interrupted(self) -> bool:
        return self._cluster.interrupted

    def now(self) -> int:
        return self._cluster.now()

    def wait(self, until: int) -> bool:
        return self._cluster.wait(until)

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        if not self._cluster.meant(description.instance):
            return "D_PDESC_ZERO", f"{description}: {self._cluster.unmeant(description.instance)}"
        return super().mistake(description)


class ClusterDevice:
    """The device of all instances (runtime.border.Device)."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._described: dict[tuple[int, int], bytes] = {}
        self._owners: dict[int, int] = {}  # the instance of each probe that was told
        self._buffers: dict[int, bytes | None] = {}
        self._sizes: dict[int, int] = {}
        self._reported = 0  # all that is older has been handed on
        self._passed = 0  # what time it was everywhere when buffers were fetched last
        self.ordered = False  # the consumer wants the order of time
        self.among: set[int] | None = None  # instances that are asked alone: those of one group
        self.listing = False  # all probes are wanted, not enough for a compiler to know them
        self._handlers: dict[Command, Callable[[bytes], bytes]] = {
            Command.PROVIDER: self._provider, Command.PROBEMATCH: self._match, Command.ENABLE: self._enable,
            Command.GO: self._go, Command.STOP: self._stop, Command.STATUS: self._status,
            Command.BUFSNAP: self._bufsnap, Command.AGGSNAP: self._aggsnap, Command.DOFGET: self._of_first,
            Command.CONF: self._of_first}

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        """Carry out a request; returns its result.  Raises BorderError."""
        handler = self._handlers.get(command)
        if handler is not None:
            return self._of_first(payload, command) if handler == self._of_first else handler(payload)
        number = int.from_bytes(payload[:4] if command != Command.FORMAT else payload[:2], "little")
        known = self._described.get((command, number))
        if known is None:
            known = self._cluster.one(f.Ask(f.EVERY, command, payload))
        return known

    def close(self) -> None:
        """The instances end with the cluster."""

    def owner(self, probe: int) -> int:
        """The number of the instance that has a probe."""
        return self._owners.get(probe, _HOST)

    def instance_of(self, probe: int) -> str:
        """The path of the instance that has a probe."""
        owner = self._owners.get(probe)
        return self._cluster.relay.instances[owner].path if owner is not None else HOST

    def _of_first(self, payload: bytes, command: Command = Command.CONF) -> bytes:
        first = self._cluster.active[0] if self._cluster.active else _HOST
        return self._cluster.one(f.Ask(first, command, payload))

    # -- providers and probes ---------------------------------------------------------------------------

    def _provider(self, payload: bytes) -> bytes:
        error = BorderError(errno.ESRCH, "no such provider")
        for instance in self._grouped(self._cluster.ready())[:SAMPLED]:
            try:
                return self._cluster.one(f.Ask(instance.number, Command.PROVIDER, payload))
            except BorderError as refused:
                error = refused
        raise error

    def _grouped(self, instances: list[Instance]) -> list[Instance]:
        """Those of them that are asked now; all, if none is: then it does not matter for what is compiled."""
        if self.among is None or self.listing:
            return instances
        return [each for each in instances if each.number in self.among] or instances

    def _match(self, payload: bytes) -> bytes:
        wanted, pattern = payload[:PROBEDESC.size], payload[PROBEDESC.size:].decode()
        meant = self._grouped(self._cluster.meant(pattern))
        found: list[bytes] = []
        for instance in meant:
            try:
                data = self._cluster.one(f.Ask(instance.number, Command.PROBEMATCH, wanted))
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

    # -- enabling ------------------------------------------------------------------------------------------

    def _enable(self, dof: bytes) -> bytes:
        """Each instance gets the clauses that are for it; returns how many probes they match."""
        cluster = self._cluster
        try:
            program = read(dof)
        except DofError as error:
            raise BorderError(errno.EINVAL, str(error)) from None
        cluster.destructive |= any(number == OptionId.DESTRUCTIVE for number, _ in program.options)
        own = all(ecb.uarg == ERROR_ECB for ecb in program.ecbs)  # the consumer's, or options alone
        if cluster.single or own:
            if not cluster.active:
                cluster.active = [_HOST]
            return self._sent(cluster.active, dof)
        total = 0
        program = self._kept_apart(program)
        for kept, numbers in self._dealt(program).items():
            part = replace(program, ecbs=[self._addressed(program, n) for n in kept])
            cluster.active = sorted({*cluster.active, *numbers})
            total += _NUMBER.unpack(self._sent(numbers, write(part)))[0]
        return _NUMBER.pack(total)

    def _dealt(self, program: Program) -> dict[tuple[int, ...], list[int]]:
        """The instances that get the same clauses, by the numbers of these."""
        patterns = [self._pattern(ecb.probe.provider, ecb.probe.id) for ecb in program.ecbs]
        dealt: dict[tuple[int, ...], list[int]] = {}
        for instance in self._cluster.ready():
            kept = tuple(n for n, pattern in enumerate(patterns) if matches(pattern, instance.path))
            if kept and (self.among is None or instance.number in self.among):
                dealt.setdefault(kept, []).append(instance.number)
        return dealt

    def _kept_apart(self, program: Program) -> Program:
        """A program for several instances, whose aggregations by addresses are by instance, too."""
        patterns = {self._pattern(ecb.probe.provider, ecb.probe.id) for ecb in program.ecbs}
        ready = self._cluster.ready()
        meant = sum(any(matches(pattern, each.path) for pattern in patterns) for each in ready)
        if meant < 2:
            return program
        size = max(len(each.path.encode()) + 8 & -8 for each in ready) + 8  # what has 8 bytes is a number
        return replace(program, ecbs=[by_instance(ecb, size) for ecb in program.ecbs])

    def _pattern(self, provider: str, number: int) -> str:
        if number:
            return self.instance_of(number)
        return provider.rpartition(":")[0]

    def _addressed(self, program: Program, number: int) -> Ecb:
        """A clause as its instances know it."""
        ecb = program.ecbs[number]
        probe = ecb.probe._replace(provider=ecb.probe.provider.rpartition(":")[2])
        if probe.id:
            found = self._cluster.relay.instance_of_probe(probe.id)
            probe = probe._replace(id=0 if found != _HOST else probe.id)
        return replace(ecb, probe=probe)

    def _sent(self, numbers: Iterable[int], dof: bytes) -> bytes:
        """Enable DOF at instances; returns how many probes it matched.  Raises BorderError."""
        total = 0
        for answer in self._all(f.Enable(tuple(numbers), dof)):
            total += _NUMBER.unpack(answer.data)[0]
        return _NUMBER.pack(total)

    def _all(self, frame: f.Down) -> Iterator[f.Answer]:
        """The answers of several instances.  Raises BorderError for the first that refuses."""
        for each in self._cluster.handle(frame):
            if isinstance(each, f.Refused):
                refusal = self._cluster.refusal(each)
                if isinstance(frame, f.Go) and isinstance(refusal, BorderError):
                    raise TraceError(f"{go_error(refusal)}{self._cluster.where(each)}")
                raise refusal
            if isinstance(each, f.Answer):
                yield each

    def _go(self, _payload: bytes) -> bytes:
        """Begin: at the host first, whose time is then the time of all."""
        cluster = self._cluster
        active = cluster.active
        first: bytes | None = None
        if _HOST in active:
            first = next(self._all(f.Go((_HOST,), 0))).data
        others = tuple(number for number in active if number != _HOST)
        if others:
            started = {each.instance: each.data for each in self._all(f.Go(others, cluster.now() or 1))}
            if first is None:
                number = min(started)
                return _NUMBER.pack(cluster.cpus().index((number, _NUMBER.unpack(started[number])[0])))
        assert first is not None
        return first

    def _stop(self, _payload: bytes) -> bytes:
        ended = {each.instance: _NUMBER.unpack(each.data)[0]
                 for each in self._all(f.Stop(tuple(self._cluster.active)))}
        if self._cluster.single:
            return _NUMBER.pack(ended[_HOST])
        number = min(ended, default=None)
        return _NUMBER.pack(0 if number is None else self._cluster.cpus().index((number, ended[number])))

    # -- what was recorded ---------------------------------------------------------------------------------

    def _status(self, _payload: bytes) -> bytes:
        cluster, refused, found = self._cluster, None, False
        for each in cluster.handle(f.Harvest(f.STATUSES, 0, 0)):
            if isinstance(each, f.Status):
                found = True
                cluster.statuses.take(each.instance, Status.unpack(each.data))
                cluster.ledger.produce(cluster.relay.instances[each.instance].path, each.produced)
            elif isinstance(each, f.Refused):
                refused = each
        if not found and refused is not None:
            raise cluster.refusal(refused)
        return cluster.statuses.total().pack()

    def _bufsnap(self, payload: bytes) -> bytes:
        cpu = BufDesc.unpack(payload).cpu
        if self._cluster.single:
            return self._snapped(f.Harvest(f.BUFFERS, cpu, 0))
        if cpu not in self._buffers and not self._buffers:
            self._fetch()
        data = self._buffers.pop(cpu, None)
        if data is None:
            raise BorderError(errno.ENOENT, f"no buffer of CPU {cpu}")
        return data

    def _snapped(self, frame: f.Harvest) -> bytes:
        """The host's snapshot, just as its device returns it."""
        for each in self._cluster.handle(frame):
            if isinstance(each, f.Snap):
                return each.data
            if isinstance(each, f.Refused):
                raise self._cluster.refusal(each)
        raise BorderError(errno.ENOENT, "no buffer")

    def _fetch(self) -> None:
        """Have every CPU of every instance hand over its buffer."""
        cluster = self._cluster
        numbers = {place: cpu for cpu, place in enumerate(cluster.cpus())}
        self._buffers = dict.fromkeys(numbers.values())
        times: list[int] = []
        for each in cluster.handle(f.Harvest(f.BUFFERS, f.EVERY, 1)):
            if isinstance(each, f.Describe):
                self._keep(each)
            elif isinstance(each, f.Snap):
                clock = cluster.clocks[each.instance].at(cluster.now())
                description = BufDesc.unpack(each.data)
                times.append(description.timestamp - clock.offset - clock.error)
                cpu = numbers[each.instance, each.cpu]
                before = self._buffers[cpu] or BufDesc(cpu=cpu).pack()
                self._buffers[cpu] = _joined(before, self._in_host_time(each, description, clock.offset))
        self._reported = max(min(times, default=0), self._passed)  # one that lags does not hold up the rest
        self._passed = cluster.passed()
        for cpu, data in self._buffers.items():
            if data is not None:
                stamped = BufDesc.unpack(data)._replace(timestamp=self._reported)
                self._buffers[cpu] = stamped.pack() + data[BUFDESC.size:]

    def _keep(self, told: f.Describe) -> None:
        self._described[told.command, told.number] = told.data
        if told.command == Command.EPROBE:
            self._sizes[told.number] = EprobeDesc.unpack(told.data).size

    def _in_host_time(self, snap: f.Snap, description: BufDesc, offset: int) -> bytes:
        """Return a snapshot with times by the host's clock, without the records that come too late for the
        order of time; what comes and what does not is entered in the ledger."""
        data, records, late = bytearray(snap.data), 0, 0
        for at, size, epid, time in self._records(snap.data):
            records += 1
            if self.ordered and time - offset < self._reported:
                late += 1
                data[at:at + size] = bytes(size)  # filler
            elif offset:
                time = max(time - offset, 0)
                RECHDR.pack_into(data, at, epid, time >> 32, time & 0xFFFFFFFF)
        path, ledger = self._cluster.relay.instances[snap.instance].path, self._cluster.ledger
        ledger.deliver(path, records - late)
        ledger.drop(path, path, "principal", description.drops)
        ledger.drop(path, HOST, "late", late)
        if late:
            self._cluster.told.append(Told("dropped", path, f"late at {HOST}", late))
        return bytes(data)

    def _records(self, data: bytes) -> Iterator[tuple[int, int, int, int]]:
        """The records of a snapshot: where, how many bytes, of which EPID, and when."""
        at = BUFDESC.size
        while at + RECHDR.size <= len(data):
            epid, high, low = RECHDR.unpack_from(data, at)
            size = self._sizes.get(epid, 0) if epid else 4
            if not size:
                return
            if epid:
                yield at, size, epid, high << 32 | low
            at += size

    def _aggsnap(self, payload: bytes) -> bytes:
        cpu = BufDesc.unpack(payload).cpu
        if self._cluster.single:
            return self._snapped(f.Harvest(f.AGGREGATIONS, cpu, 0))
        if cpu:
            raise BorderError(errno.ENOENT, "merged with those of the first CPU")
        found = b""
        for each in self._cluster.handle(f.Harvest(f.AGGREGATIONS, f.EVERY, 1)):
            if isinstance(each, f.Describe):
                self._keep(each)
            elif isinstance(each, f.Snap):
                found = each.data
        if not found:
            raise BorderError(errno.ENOENT, "no rows")
        return found


def _joined(first: bytes, second: bytes) -> bytes:
    """Two snapshots of one buffer as one."""
    one, other = BufDesc.unpack(first), BufDesc.unpack(second)
    body = first[BUFDESC.size:] + second[BUFDESC.size:]
    return other._replace(size=len(body), drops=one.drops + other.drops,
                          errors=one.errors + other.errors).pack() + body
