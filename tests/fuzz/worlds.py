"""A framework with a kernel of a few dictionaries: what targets of DOF, DIF and the border trace in."""

from __future__ import annotations

import struct

from tests.unit.framework.conftest import World

KERNEL = 0xFFFFFE0000000000
PAIRS = KERNEL + 0x1000  # addresses and sizes, as printm() takes them


def world(engine: str, cpus: int = 1, target: str = "illumos") -> World:
    """A world whose kernel and process have some memory with strings and numbers."""
    made = World(engine, cpus, target)
    made.host.memory.add(KERNEL, b"kernel,text\0a.b" + bytes(range(49)))
    made.host.memory.add(PAIRS, struct.pack("<6Q", KERNEL, 5, KERNEL + 3, 24, KERNEL, 25))
    made.host.current.memory.add(1, b"\0user\0" * 8)
    return made
