"""`dtrace -G`: an object is changed, or refused and left as it was; a second run changes nothing more."""

from __future__ import annotations

import contextlib
import os
import tempfile

from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition
from dof.usdt.link import LinkError, link
from tests.fuzz import layouts
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed

HIT = [Argument("int", "a", 4, signed=True), Argument("char *", "s", 8)]
PROVIDERS = [ProviderDefinition("prov", [ProbeDefinition("hit", HIT), ProbeDefinition("both")])]
MEMORY = "/dev/shm"


class _Linking:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz",
                                                   dir=MEMORY if os.path.isdir(MEMORY) else None)
        self._object = os.path.join(self._folder.name, "a.o")
        self._output = os.path.join(self._folder.name, "out.o")

    def __call__(self, data: bytes) -> object:
        with open(self._object, "wb") as file:
            file.write(data)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._output)
        try:
            first = self._link()
        except LinkError:
            assert self._read(self._object) == data, "it was refused, and is another now"
            assert not os.path.exists(self._output), "it was refused, and there is an output"
            raise
        again = self._link()
        assert first == again, "a second run gives something else"
        return len(first[0]) - len(data), len(first[1])

    def _link(self) -> tuple[bytes, bytes]:
        link(PROVIDERS, [self._object], self._output)
        return self._read(self._object), self._read(self._output)

    @staticmethod
    def _read(path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()


def target() -> Target:
    return Target(_Linking(), (LinkError,), mixed((6, fields(layouts.elf)), (1, blind)))
