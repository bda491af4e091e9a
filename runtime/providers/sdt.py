"""The sdt provider: points of the emulated kernel that no stable provider tells of."""

from __future__ import annotations

import os
from typing import Any

from dc import stability
from dc.catalog import Argument
from runtime.framework.framework import Framework
from runtime.framework.provider import AttributeSet
from runtime.kernel.kernel import Kernel
from runtime.providers import hooked
from runtime.providers.hooked import Point

_LEVELS = ("Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
           "Private/Private/ISA", "Private/Private/ISA")
_ADDRESS, _TEXT = "uintptr_t", "char *"


def _loaded(kernel: Kernel, _thread: Any, path: Any, base: int) -> tuple[int, ...]:
    return kernel.objects.text(os.fsencode(path)), base


POINTS = (
    Point("object-loaded", "object_loaded", "as_map", _loaded),
    Point("unmapped", "unmap", "as_unmap", lambda kernel, thread, start, end: (start, end)),
    Point("process-gone", "process_gone", "proc_exit", lambda kernel, process: (process.address,)),
)
ARGUMENTS = {
    "object-loaded": (Argument(_TEXT, "", 0), Argument(_ADDRESS, "", 1)),
    "unmapped": (Argument(_ADDRESS, "", 0), Argument(_ADDRESS, "", 1)),
    "process-gone": (Argument("proc_t *", "", 0),),
}


def install(framework: Framework, kernel: Kernel) -> None:
    """Register the provider."""
    attributes: AttributeSet = tuple(stability.parse(text) for text in _LEVELS)  # type: ignore[assignment]
    hooked.install(framework, kernel, "sdt", POINTS, ARGUMENTS, attributes)
