"""What a consumer is told where an instance refuses something."""

from __future__ import annotations

import errno

from runtime.border import BorderError
from runtime.consumer.events.errors import TraceError
from runtime.instances.root.instances import Instances
from runtime.instances.wire import frames as f


class Refusals:
    """The errors that refusals are.  `file` is the path of the cluster's file."""

    def __init__(self, instances: Instances, file: str) -> None:
        self._instances = instances
        self._file = file
        self.destructive = False  # -w: where the file allows it

    def error(self, refused: f.Refused) -> BorderError | TraceError:
        where = self.where(refused)
        return TraceError(refused.reason + where) if refused.errno == f.FAILED else \
            BorderError(refused.errno, refused.reason + where)

    def where(self, refused: f.Refused) -> str:
        """Who has refused something, where there are several; and what the cluster's file does not say."""
        instance = self._instances.get(refused.instance)
        if self._instances.single or instance is None:
            return ""
        entry = self._instances.entry(instance.path)
        if self.destructive and refused.errno == errno.EACCES and entry is not None and entry.line \
                and not entry.destructive:
            return f" (instance {instance.path}: {self._file}:{entry.line} does not say destructive = true)"
        return f" (instance {instance.path})"
