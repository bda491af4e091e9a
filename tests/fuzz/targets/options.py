"""Options: -x NAME[=VALUE], and what `#pragma D option` says; sizes, rates and numbers."""

from __future__ import annotations

from dc.options import OptionError, Options
from dof.options import TABLE
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed, tokens

VALUES = (b"1", b"0", b"-1", b"10k", b"4m", b"1g", b"3t", b"100hz", b"10ms", b"5s", b"1us", b"ring",
          b"switch",
          b"fill", b"auto", b"manual", b"0x10", b"18446744073709551616", b"illumos", b"freebsd", b"1.6.3",
          b"Evolving/Evolving/Common", b"off", b"on", b"unlimited", b"", b"=", b"dynamic", b"real", b"1e9")


def run(data: bytes) -> object:
    text = data.decode("utf-8", "surrogateescape")
    options = Options()
    options.assign(text, program=bool(len(data) & 1))
    options.runtime()
    options.copy().machine()
    return tuple(options.values)


def seeds() -> list[bytes]:
    names = [name.encode() for name in TABLE]
    return names + [name + b"=" + value for name in names for value in VALUES[:12]]


def target() -> Target:
    words = [name.encode() for name in TABLE] + list(VALUES)
    return Target(run, (OptionError,), mixed((3, tokens(words)), (1, blind)), seeds)
