"""Machine descriptions in TOML (-x image=FILE): tables, keys and values of every wrong kind."""

from __future__ import annotations

import os
import tempfile

from runtime.kernel.image import ImageError, read_image
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed, tokens

WORDS = (b"[machine]", b"[env]", b"[[user]]", b"[[file]]", b"[[device]]", b"[[process]]", b"cpus", b"seed",
         b"walltime",
         b"name", b"uid", b"gid", b"path", b"text", b"from", b"link", b"directory", b"kind", b"groups",
         b"delay", b"mode", b"owner", b"command", b"cwd", b"user", b"stdout", b"after",
         b"= ", b"1", b"-1", b"0o777", b"1e999", b"nan", b"1979-05-27T07:32:00Z", b"true", b'""', b'"/a"',
         b'"../x"',
         b"[", b"]", b"{", b"}", b'"\\u0000"', b"'", b'"""', b"99999999999999999999", b"\n", b'"root"', b"[[",
         b".")


class _Reading:
    """Reads a description from an empty directory, so that it names no file of the host."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz")
        self._path = os.path.join(self._folder.name, "machine.toml")

    def __call__(self, data: bytes) -> object:
        with open(self._path, "wb") as file:
            file.write(data)
        image = read_image(self._path)
        return len(image.users), len(image.files), len(image.processes)


def target() -> Target:
    return Target(_Reading(), (ImageError,), mixed((4, tokens(WORDS)), (1, blind)))
