"""Processes of instances that a consumer controls."""

from __future__ import annotations

from runtime.instances.root.root import Root
from runtime.instances.wire.verbs import Verb


class RemoteProcess:
    """A process of an instance that a consumer controls (runtime.machine.Process)."""

    def __init__(self, root: Root, instance: int, pid: int) -> None:
        self._root, self._instance, self.pid = root, instance, pid
        self._status: int | None = None

    @property
    def exit_status(self) -> int | None:
        if self._status is None:
            try:
                found = self._root.did(Verb.STATUS, self.pid, instance=self._instance)
            except OSError:
                found = 0  # with its instance it is gone, too
            self._status = found if isinstance(found, int) else None
        return self._status

    def resume(self) -> None:
        self._root.did(Verb.RESUME, self.pid, instance=self._instance)
