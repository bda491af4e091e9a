"""dtrace.conf(4): the file from which a kernel takes anonymous enablings when it boots."""

from __future__ import annotations

import os
import tempfile

from dof.format import DofError
from runtime.border import BorderError, Command
from runtime.consumer import anonymous
from runtime.framework.framework import Framework
from tests.fuzz import layouts, programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed, tokens
from tests.fuzz.worlds import world

WORDS = (b"dof-data-0=", b"dof-data-1=", b"0x7f", b"0x44", b",", b";", b"\n", b"0x", b"256", b"-1", b"#",
         b"name=")
NUL = b"\0"  # before DOF itself, which is then written as text


class _Booting:
    """Reads a file, boots a kernel with what is in it, and grabs the enabling."""

    def __init__(self) -> None:
        self._world = world("translate")
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz")
        self._path = os.path.join(self._folder.name, "dtrace.conf")

    def __call__(self, data: bytes) -> object:
        if data.startswith(NUL):  # the images are what is fuzzed
            return self._boot([data[1:]])
        with open(self._path, "wb") as file:
            file.write(data)
        return self._boot(anonymous.read(self._path))

    def _boot(self, images: list[bytes]) -> object:
        framework = self._world.framework
        self._forget(framework)
        framework.begin_anonymous(images)
        self._world.fire(self._world.a, 1, 2, 3, 4, 5)
        tracer = self._world.tracer()
        tracer.enable(grabanon=1)
        device = tracer.device
        try:
            device.ioctl(Command.GO)
            device.ioctl(Command.STOP)
            return len(device.ioctl(Command.STATUS))
        finally:
            device.close()
            self._world.host.timers.clear()

    @staticmethod
    def _forget(framework: Framework) -> None:
        """What the input before this one left behind."""
        if framework.anonymous is not None:
            framework.anonymous.destroy()
            framework.anonymous = None


def seeds() -> list[bytes]:
    texts = []
    for image in programs.enablings():
        texts.append(b"name=\"dtrace\";\ndof-data-0=" + b",".join(b"%#x" % byte for byte in image) + b";\n")
    return [*texts[:3], *(NUL + image for image in programs.enablings())]


def target() -> Target:
    def dof(data: bytes) -> list[tuple[int, int, str]]:
        return [(at + 1, size, order) for at, size, order in layouts.dof(data[1:])] \
            if data.startswith(NUL) else []

    return Target(_Booting(), (DofError, BorderError, ValueError, UnicodeDecodeError),
                  mixed((4, fields(dof)), (1, tokens(WORDS)), (1, blind)), seeds)
