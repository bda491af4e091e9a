"""The sdt provider: points of the emulated kernel that no stable provider tells of."""

from __future__ import annotations

import os
from collections.abc import Callable

from dc.names.catalog import Argument
from runtime.framework.probes.registry import Provider, attributes
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.memory.placement import Kind
from runtime.providers import hooked
from runtime.providers.hooked import Point

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.disk.block import Buffer

_ATTRIBUTES = attributes(
    "Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
    "Private/Private/ISA", "Private/Private/ISA")
CLAIMED = 1  # DDI_INTR_CLAIMED: the interrupt was the device's
_ADDRESS, _TEXT = "uintptr_t", "char *"


def _loaded(kernel: Kernel, _thread: Thread, path: bytes | str, base: int) -> tuple[int, ...]:
    return kernel.objects.text(os.fsencode(path)), base


def _interrupt(kernel: Kernel, _thread: Thread, buffer: Buffer) -> tuple[int, ...]:
    """The device, its handler and what that is called with."""
    objects = kernel.objects
    return (objects.address(Kind.DEVINFO, kernel), KFUNCTIONS["biodone"].address,
            objects.address(Kind.BUFFER, buffer))


POINTS = (
    Point("interrupt-start", "interrupt_start", "av_dispatch_autovect", _interrupt, "unix"),
    Point("interrupt-complete", "interrupt_complete", "av_dispatch_autovect",
          lambda kernel, thread, buffer: (*_interrupt(kernel, thread, buffer), CLAIMED), "unix"),
    Point("object-loaded", "object_loaded", "as_map", _loaded),
    Point("unmapped", "unmap", "as_unmap", lambda kernel, thread, start, end: (start, end)),
    Point("process-gone", "process_gone", "proc_exit", lambda kernel, process: (process.address,)),
)
_INTERRUPT = Argument("dev_info_t *", "", 0), Argument(_ADDRESS, "", 1), Argument(_ADDRESS, "", 2)
ARGUMENTS = {
    "interrupt-start": (*_INTERRUPT, Argument(_ADDRESS, "", 3)),
    "interrupt-complete": (*_INTERRUPT, Argument("uint_t", "", 3)),
    "object-loaded": (Argument(_TEXT, "", 0), Argument(_ADDRESS, "", 1)),
    "unmapped": (Argument(_ADDRESS, "", 0), Argument(_ADDRESS, "", 1)),
    "process-gone": (Argument("proc_t *", "", 0),),
}


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation."""
    hooked.install(provider, boot, POINTS, ARGUMENTS, _ATTRIBUTES)
