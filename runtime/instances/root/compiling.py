"""A program is compiled for each group of instances that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dc.diagnostics import CompileError
from dif.records import NamedTuple
from runtime.consumer.events.errors import TraceError
from runtime.instances.root.groups import Group
from runtime.instances.root.probes import Probes
from runtime.instances.root.root import Root
from runtime.instances.root.system import ClusterSystem
from runtime.instances.root.timekeeper import Timekeeper
from runtime.instances.roster.paths import matches

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import CompileResult
    from runtime.consumer.consumer import Consumer


class Part(NamedTuple):
    """A program as it is compiled for a group."""

    group: Group
    result: CompileResult


class Compiling:
    """Compiles for `groups`, with a system for each; that of the first is the consumer's."""

    def __init__(self, root: Root, time: Timekeeper, probes: Probes, groups: Sequence[Group]) -> None:
        self._root, self._time, self._probes = root, time, probes
        self.groups = groups
        self._systems: dict[int, ClusterSystem] = {}
        self._aggregations: dict[int, str] = {}

    @property
    def system(self) -> ClusterSystem:
        """The system with the types of the host's group."""
        return self._system(self.groups[0])

    def _system(self, group: Group) -> ClusterSystem:
        """The system of a group, made when it is first asked for."""
        system = self._systems.get(group.first)
        if system is None:
            system = self._systems[group.first] = ClusterSystem(self._root, self._time, self._probes, group)
        return system

    def compile(self, consumer: Consumer, compile: Callable[[], CompileResult]) -> list[Part]:
        """Compile a program for each group of instances that it means; `compile` does it once.

        Raises CompileError, and TraceError where an aggregation has another number in one group.
        """
        parts: list[Part] = []
        failures: list[tuple[Group, CompileError]] = []
        for group in self.groups:
            system = self._system(group)
            self._probes.among = group.members
            before = consumer.view(system)
            try:
                parts.append(Part(group, compile()))
            except CompileError as error:
                failures.append((group, self._located(error, group)))
            finally:
                consumer.view(before)
                self._probes.among = None
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
                    raise TraceError(f"@{name} cannot be one with @{self._aggregations[number]} of "
                                     f"{self._path(part.group)}, whose kernel has other types: give each a "
                                     "dtrace of its own")
        return meant

    def _path(self, group: Group) -> str:
        """The path of the instance whose kernel a group's types are of."""
        return self._root.instances[group.first].path

    def _located(self, error: CompileError, group: Group) -> CompileError:
        """A mistake, with whose types it is about."""
        return CompileError([each._replace(message=f"{each.message} (as {self._path(group)} has it)")
                             for each in error.diagnostics], error.texts)

    def _means(self, patterns: Iterable[str], group: Group) -> bool:
        """Whether one of these patterns means an instance of a group."""
        return any(matches(pattern, self._root.instances[number].path)
                   for pattern in patterns for number in group.members)
