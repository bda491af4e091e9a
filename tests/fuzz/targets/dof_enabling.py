"""DOF as a kernel takes it from a consumer: read in every way; what is accepted is enabled and fires."""

from __future__ import annotations

from dof import files, inspection, reader, text
from dof.container import parse
from dof.format import DofError
from runtime.border import BorderError, BufDesc, Command
from tests.fuzz import layouts, programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed
from tests.fuzz.worlds import world

FIRINGS = ((1, 2, 3, 4, 5), (-1, 0, 1 << 63, 0xFFFFFE0000000000, 7))


class _Enabling:
    """Reads DOF, and enables it in one of two kernels, an engine each."""

    def __init__(self) -> None:
        self._worlds = [world("translate"), world("interpret")]
        self._turn = 0

    def __call__(self, data: bytes) -> object:
        self._turn += 1
        if self._turn % 4 == 0:
            files.find(data)
            inspection.describe(parse(data))
        if self._turn % 2 == 0:
            text.dump(reader.read(data))
            return "listed"
        return self._trace(data)

    def _trace(self, data: bytes) -> object:
        kernel = self._worlds[self._turn // 2 % 2]
        device = kernel.tracer().device
        try:
            device.ioctl(Command.ENABLE, data)
            device.ioctl(Command.GO)
            for arguments in FIRINGS:
                for probe in (kernel.a, kernel.b):
                    kernel.fire(probe, *arguments)
            device.ioctl(Command.STOP)
            for command in (Command.BUFSNAP, Command.AGGSNAP):
                device.ioctl(command, BufDesc(cpu=0).pack())
            return len(device.ioctl(Command.STATUS))
        finally:
            device.close()
            kernel.host.timers.clear()


def target() -> Target:
    return Target(_Enabling(), (DofError, BorderError), mixed((6, fields(layouts.dof)), (1, blind)),
                  programs.enablings)
