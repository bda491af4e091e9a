"""How many records wait to be fetched: what would be lost if an instance were gone now."""

from __future__ import annotations

from dif.records import Record, field
from runtime.framework.buffers.principal import FillBuffer, RingBuffer
from runtime.framework.device import FrameworkDevice


class Waiting(Record):
    """Counts the records in the principal buffers of a device.  Each is looked at once.

    `counted` says for each CPU how far its buffer has been looked at, and how many records are there.
    """

    device: FrameworkDevice
    counted: dict[int, tuple[int, int]] = field(default_factory=dict)

    def count(self) -> int:
        """Return how many records wait.

        Those of the policies `fill` and `ring`, which are fetched at the end alone, are not counted.
        """
        state = self.device.tracing.state
        total = 0
        for buffer in state.buffers:
            if isinstance(buffer, FillBuffer | RingBuffer):
                continue
            at, records = self.counted.get(buffer.cpu, (0, 0))
            if at > buffer.offset:  # it has been emptied since
                at = records = 0
            data, end = buffer.data, buffer.offset
            while at < end:
                epid = int.from_bytes(data[at:at + 4], "little")
                records += epid != 0
                at += state.sizes[epid] if epid else 4
            self.counted[buffer.cpu] = at, records
            total += records
        return total

    def fetched(self, cpu: int) -> None:
        """A CPU's buffer has been emptied."""
        self.counted.pop(cpu, None)
