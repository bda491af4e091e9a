"""The io provider: transfers between the buffer cache and the disk (the manual's chapter on io)."""

from __future__ import annotations

from collections.abc import Callable

from dc.names.stableproviders import ARGUMENTS, ATTRIBUTES
from runtime.framework.probes.registry import Provider
from runtime.kernel.memory.placement import Kind
from runtime.providers import hooked
from runtime.providers.hooked import Point

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.disk.block import Buffer


def _buffer(kernel: Kernel, _thread: Thread, buffer: Buffer) -> tuple[int, ...]:
    return (kernel.objects.address(Kind.BUFFER, buffer),)


POINTS = (
    Point("start", "io_start", "bdev_strategy", _buffer),
    Point("done", "io_done", "biodone", _buffer),
    Point("wait-start", "io_wait_start", "biowait", _buffer),
    Point("wait-done", "io_wait_done", "biowait", _buffer),
)


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation."""
    hooked.install(provider, boot, POINTS, ARGUMENTS["io"], ATTRIBUTES["io"])
