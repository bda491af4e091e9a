"""A session with a device of tables, and what it wrote."""

from __future__ import annotations

import io
from typing import Any

from fakes import FakeDevice, FakeSystem

from runtime.border import BufDesc, EprobeDesc, ProbeDescription
from runtime.consumer.consumer import Consumer, Work
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text

FUNC = ProbeDescription(9, "fbt", "genunix", "read", "entry")
FUNC_END = ProbeDescription(10, "fbt", "genunix", "read", "return")


class Bench:
    """A session with its device, and what it wrote."""

    def __init__(self, ncpus: int = 1, **options: int) -> None:
        self.device = FakeDevice()
        self.device.probes |= {9: FUNC, 10: FUNC_END}
        self.system = FakeSystem(ncpus)
        self.consumer = Consumer(self.device, self.system)
        self.consumer.options.values.update(options)
        self.stream = io.BytesIO()
        self.notices: list[str] = []

    def ecb(self, epid: int, probe: ProbeDescription, size: int, *records: Any, uarg: int = 0) -> None:
        self.device.ecbs[epid] = EprobeDesc(epid, probe.id, uarg, size, records)

    def snapshot(self, cpu: int, data: bytes, **fields: int) -> None:
        self.device.buffers.setdefault(cpu, []).append((BufDesc(cpu=cpu, **fields), data))

    def aggregate(self, data: bytes, drops: int = 0) -> None:
        self.device.aggregations.setdefault(0, []).append((BufDesc(drops=drops), data))

    def text(self) -> Text:
        output = Output(self.stream, writes_files=True)
        return Text(output, self.consumer.settings, self.consumer.aggregations, notice=self.notices.append)

    def run(self) -> str:
        """Go, stop at once, report everything."""
        self.consumer.handler = text = self.text()
        self.consumer.go()
        self.consumer.stop()
        assert self.consumer.work() is Work.DONE
        text.finish()
        return self.stream.getvalue().decode()
