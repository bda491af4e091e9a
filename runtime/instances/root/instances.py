"""Which instances there are, what a pattern means, and what each CPU of the one device is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runtime.instances.hop.children import Instance
from runtime.instances.roster.clusterfile import ClusterFile, InstanceEntry
from runtime.instances.roster.paths import matches

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.reader import Place

HOST_NUMBER = 0  # the number of the host's instance


class Instances:
    """The instances that the root's hop knows (`known`, by number), and what the cluster's file says of them.

    They are iterated over in the order of their numbers.
    """

    def __init__(self, known: Mapping[int, Instance], description: ClusterFile) -> None:
        self.known = known
        self._description = description

    def __iter__(self) -> Iterator[Instance]:
        return iter([self.known[number] for number in sorted(self.known)])

    def __getitem__(self, number: int) -> Instance:
        return self.known[number]

    def get(self, number: int) -> Instance | None:
        return self.known.get(number)

    @property
    def single(self) -> bool:
        """Whether there is nothing but the host: then it is asked exactly as without frames."""
        return len(self.known) == 1

    def ready(self) -> list[Instance]:
        return [each for each in self if each.state == "ready"]

    def meant(self, pattern: str) -> list[Instance]:
        """The instances that a pattern means."""
        return [each for each in self.ready() if matches(pattern, each.path)]

    def unmeant(self, pattern: str) -> str:
        """What users are told of a pattern that means no instance."""
        return (f"no instance is called {pattern}: 'dtrace --cluster {self._description.path} --instances' "
                "lists them")

    def entry(self, path: str) -> InstanceEntry | None:
        """What the cluster's file says of an instance."""
        return next((each for each in self._description.instances if each.path == path), None)

    def trusts(self, path: str) -> bool:
        """Whether what an instance says is believed."""
        return not any(path == each.path or path.startswith(each.path + "/")
                       for each in self._description.instances if not each.trusted)

    @property
    def places(self) -> list[Place]:
        """What each CPU of the device is; nothing where there is only the host."""
        return [] if self.single else [(each.path, cpu) for each in self for cpu in range(each.cpus)]

    def cpus(self) -> list[tuple[int, int]]:
        """The instance and its CPU, by the number that the device has for it."""
        return [(each.number, cpu) for each in self for cpu in range(each.cpus)]
