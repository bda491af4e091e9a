"""The top of the tree: many instances as the one machine that a consumer knows.

A cluster has the methods of a machine (runtime.machine.Machine) that the command uses.  Its CPUs are those of
all instances, one after another; descriptions that name no instance mean the host.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from dif.isa import NUMBERING
from dof.options import TABLE
from runtime.consumer.events.errors import TraceError
from runtime.instances.endpoint.doings import types_hash
from runtime.instances.root.compiling import Compiling
from runtime.instances.root.device import ClusterDevice
from runtime.instances.root.groups import Group, Grouping
from runtime.instances.root.instances import HOST_NUMBER
from runtime.instances.root.probes import Probes
from runtime.instances.root.processes import RemoteProcess
from runtime.instances.root.root import Root
from runtime.instances.root.snapshots import Snapshots
from runtime.instances.root.system import ClusterSystem
from runtime.instances.root.timekeeper import Timekeeper
from runtime.instances.roster.clusterfile import ClusterError, ClusterFile
from runtime.instances.roster.identities import NONE
from runtime.instances.starting.launcher import Launcher
from runtime.instances.wire import frames as f
from runtime.instances.wire.verbs import Verb
from runtime.kernel.base.budgets import Budgets, Limits


class Cluster:
    """Everything that was started for a cluster's file.  Raises ClusterError, TraceError."""

    def __init__(self, description: ClusterFile, options: Mapping[str, object] | None = None,
                 words: Sequence[str] = ("dtrace",)) -> None:
        self.description = description
        self.target = NUMBERING[str((options or {}).get("target", "illumos"))]
        output = (options or {}).get("output", TABLE["output"].default)
        self.budgets = Budgets(Limits(output=int(str(output))))
        self.budgets.stop = lambda _reason: self.interrupt()
        self._launcher = Launcher(description, options or {}, words)
        try:
            self.root = Root(self._launcher.relay(), description)
            self.instances, self.membership = self.root.instances, self.root.membership
            groups = self._joined()
        except BaseException:
            self._launcher.leave()
            raise
        self._time = Timekeeper(self.root, description.quantum)
        self.probes = Probes(self.root)
        self.snapshots = Snapshots(self.root, self._time)
        self._device = ClusterDevice(self.root, self.probes, self.snapshots)
        self.compiling = Compiling(self.root, self._time, self.probes, groups)

    def _joined(self) -> list[Group]:
        """Ask everything who it is; returns the groups of what has answered."""
        types = types_hash()
        self.root.handle(f.Identify(f.VERSION, f.HOPS, "", (), NONE, 0, types))
        failed = [each for each in self.membership.told if each.kind in ("failed", "lost")]
        if failed:
            first = failed[0]
            self.close()
            entry = self.instances.entry(first.instance)
            place = f"{self.description.path}:{entry.line}" if entry is not None and entry.line else \
                self.description.path
            who = f"instance {first.instance}: " if first.instance else ""
            raise ClusterError(f"{place}: {who}{first.text}")
        self.membership.begin()
        return Grouping(self.root, types).groups()

    def interrupt(self) -> None:
        """Make the system's `wait` return early; a signal handler may call this."""
        self._time.interrupt()

    @property
    def ids(self) -> dict[str, int]:
        """The numbers of dtrace's process in the host."""
        found = self.root.did(Verb.IDS)
        assert isinstance(found, dict)
        return {str(name): int(value) for name, value in found.items()}

    @cached_property
    def _surroundings(self) -> tuple[bool, dict[str, str]]:
        match self.root.did(Verb.SURROUNDINGS):
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

    def read(self, path: str) -> bytes | None:
        """Return a whole file of the host's machine, None if there is none."""
        return self.root.do(Verb.FILE, path) or None

    def device(self, _credentials: object = None) -> ClusterDevice:
        """The one open of the device."""
        return self._device

    def system(self) -> ClusterSystem:
        return self.compiling.system

    def spawn(self, words: Sequence[str], environment: Mapping[str, str] | None = None, evaltime: str = "",
              instance: int = HOST_NUMBER) -> RemoteProcess:
        """Start a child of dtrace's process at an instance (see Machine.spawn).  Raises OSError."""
        variables = dict(environment) if environment is not None else None
        pid = self.root.did(Verb.SPAWN, list(words), variables, evaltime, instance=instance)
        assert isinstance(pid, int)
        self.system().target(pid, instance)
        return RemoteProcess(self.root, instance, pid)

    def grab(self, pid: int, instance: int = HOST_NUMBER) -> RemoteProcess:
        """Take control of a process of an instance.  Raises OSError."""
        self.root.did(Verb.GRAB, pid, instance=instance)
        self.system().target(pid, instance)
        return RemoteProcess(self.root, instance, pid)

    def shell(self, command: bytes, output: int) -> None:
        """Run a shell command in the host's machine.  Raises OSError, TraceError."""
        data = self.root.do(Verb.SHELL, command.hex())
        while data:
            data = data[os.write(output, data):]

    def tracepoints(self) -> str:
        return str(self.root.did(Verb.TRACEPOINTS))

    def keep_tracepoints(self) -> None:
        self.root.did(Verb.KEEP_TRACEPOINTS)

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
        single = self.instances.single
        for instance in self.instances.ready():
            if instance.number in self.root.active or single:
                with suppress(OSError):
                    found = self.root.did(verb, instance=instance.number)
                    front = "" if single else f"{instance.path}: "
                    lines += [f"{front}{each}" for each in (found if isinstance(found, list) else [])]
        return lines

    def close(self) -> None:
        """End everything that was started, at every instance."""
        with suppress(OSError, TraceError):
            self.root.handle(f.Close())
        self.root.relay.close()
        self._launcher.end()
