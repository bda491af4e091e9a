"""i386 code under the pid provider: any bytes get a plan, or are refused."""

from __future__ import annotations

from tests.fuzz.engine import Target
from tests.fuzz.targets.x86_code import made


def target() -> Target:
    return made(32, 0x8048000)
