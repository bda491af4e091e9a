"""The profile provider: profile-RATE on every CPU, tick-RATE on one.

A rate is a number with an optional unit: an interval (ns us ms s m h d and
their longer spellings) or a frequency (hz, also when there is no unit).  The
probes are made when a description names them; a few customary ones always exist.
"""

from __future__ import annotations

from dc.names.stableproviders import ATTRIBUTES
from dif.limits import NANOSECONDS, SECOND
from dof.globs import is_glob
from dof.model import ProbeDesc
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import Operations, Probe, Provider
from runtime.kernel.base.kernelfunctions import KFUNCTIONS

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.base.host import Timer
    from runtime.framework.probes.privileges import Credentials

_IDLE = "swtch"  # the kernel function in which an idle CPU waits
INTERVAL_MIN = SECOND // 5000
PROBES_MAX = 1000
DIGITS = 18  # of a rate at most
_CUSTOMARY = [*(f"profile-{rate}" for rate in (97, 199, 499, 997, 1999, 4001, 4999)),
              *(f"tick-{rate}" for rate in (1, 10, 100, 500, 1000, 5000))]

def interval(name: str) -> int | None:
    """Nanoseconds between firings of the probe of that name; None if it is no such name."""
    kind, dash, rate = name.partition("-")
    unit = rate.lstrip("0123456789")
    digits = rate.removesuffix(unit)
    if kind not in ("profile", "tick") or not dash or not 1 <= len(digits) <= DIGITS:
        return None
    number = int(digits)
    if not number:
        return None
    if unit in ("", "hz"):
        length = SECOND // number
    elif unit in NANOSECONDS:
        length = number * NANOSECONDS[unit]
    else:
        return None
    return length if INTERVAL_MIN <= length < 1 << 63 else None

class _Profile(Operations):
    def __init__(self, framework: Framework) -> None:
        self._framework = framework
        self._timers: dict[Probe, list[Timer]] = {}
        self.provider: Provider

    def provide(self, desc: ProbeDesc, who: Credentials | None = None) -> None:
        if desc.provider not in ("", "profile") and not is_glob(desc.provider):
            return
        if not desc.module and not desc.function:
            self.make(desc.name)

    def make(self, name: str) -> None:
        """Create the probe of that name, if it is one and does not exist."""
        length = interval(name)
        if length is None or len(self.provider.probes) >= PROBES_MAX:
            return
        if self.provider.lookup("", "", name) is None:
            self.provider.create("", "", name, arg=length)

    def enable(self, probe: Probe) -> None:
        host, length = self._framework.host, probe.arg
        assert isinstance(length, int)

        def fire() -> None:
            function = probe.fire
            if function is not None:
                kernel_pc, user_pc = self._where()
                function(kernel_pc, user_pc, 0, 0, 0)

        cpus = range(host.ncpus) if probe.name.startswith("profile-") else (None,)
        self._timers[probe] = [host.cyclic(length, fire, cpu=cpu) for cpu in cpus]

    def disable(self, probe: Probe) -> None:
        for timer in self._timers.pop(probe, ()):
            timer.cancel()

    def usermode(self, probe: Probe) -> bool:
        return self._where()[1] != 0

    def restricts(self, probe: Probe) -> bool:
        return probe.name.startswith("tick-")

    def _where(self) -> tuple[int, int]:
        """What was interrupted: a kernel program counter or a user one; the other is 0."""
        host = self._framework.host
        frames = host.kernel_stack(1)
        if frames or not host.current.pid:
            return (frames[0] if frames else KFUNCTIONS[_IDLE].address), 0
        user = host.current.user_stack(1)
        return 0, user[0] if user else 0

def install(framework: Framework) -> None:
    """Register the provider."""
    operations = _Profile(framework)
    operations.provider = framework.register(
        "profile", ATTRIBUTES["profile"], Privilege.KERNEL | Privilege.USER, operations)
    for name in _CUSTOMARY:
        operations.make(name)
