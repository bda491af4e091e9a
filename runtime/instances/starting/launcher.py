"""The whole tree below a root is started and ended, whichever way the cluster's file wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.instances.hop.children import Child
from runtime.instances.hop.relay import Relay
from runtime.instances.roster.clusterfile import ClusterError, ClusterFile
from runtime.instances.starting.starter import Starter, load

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    class Engine(Protocol):
        def close(self) -> None: ...


class Launcher:
    """Starts processes of this host, and relays on workers of dask.distributed if these are wanted.

    `options` are the machines', `words` dtrace's arguments.
    """

    def __init__(self, description: ClusterFile, options: Mapping[str, object], words: Sequence[str]) -> None:
        load()
        self._description = description
        self._starter = Starter(description, dict(options), words)
        self._engine: Engine | None = None

    def relay(self) -> Relay:
        """Start everything; returns the hop of the root.  Raises ClusterError."""
        starter, order = self._starter, {e.path: n for n, e in enumerate(self._description.instances)}
        host = starter.host()
        if self._description.scheduler:
            others = self._distributed()
        elif self._description.workers:
            others = starter.workers(1)
        else:
            others = starter.children(starter.top(), 1)
        return Relay([host, *others], self._description.limits, order)

    def _distributed(self) -> list[Child]:
        """Relays on the workers of dask.distributed.  Raises ClusterError."""
        try:
            from runtime.instances.starting.daskengine import DaskEngine
        except ModuleNotFoundError as error:
            place = f"{self._description.path}:{self._description.scheduler_line}"
            raise ClusterError(f"{place}: cluster.scheduler: it needs {error.name}: "
                               "pip install 'dtrace-suite[cluster]'") from None
        self._engine = engine = DaskEngine(self._description, self._starter.options)
        return engine.children(1)

    def leave(self) -> None:
        """End everything, without waiting for answers."""
        self._starter.leave()
        self.end()

    def end(self) -> None:
        """End what has been told to end."""
        if self._engine is not None:
            self._engine.close()
        self._starter.end()
