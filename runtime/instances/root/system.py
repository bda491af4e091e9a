"""What a consumer asks of the system, where it is many instances."""

from __future__ import annotations

from dof.model import ProbeDesc
from runtime.instances.root.groups import Group
from runtime.instances.root.probes import Probes
from runtime.instances.root.remotetypes import RemoteSystem
from runtime.instances.root.root import Root
from runtime.instances.root.timekeeper import Timekeeper


class ClusterSystem(RemoteSystem):
    """runtime.consumer.system.System of all instances, with the types of one group of them."""

    def __init__(self, root: Root, time: Timekeeper, probes: Probes, group: Group) -> None:
        super().__init__(root.did, root.do,
                         lambda pattern: [each.number for each in root.instances.meant(pattern)],
                         probes.owner, group.first, group.types)
        self._root = root
        self._time = time

    @property
    def ncpus(self) -> int:
        return len(self._root.instances.cpus())

    @property
    def interrupted(self) -> bool:
        return self._root.interrupted

    def now(self) -> int:
        return self._root.now

    def wait(self, until: int) -> bool:
        return self._time.wait(until)

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        if not self._root.instances.meant(description.instance):
            return "D_PDESC_ZERO", f"{description}: {self._root.instances.unmeant(description.instance)}"
        return super().mistake(description)
