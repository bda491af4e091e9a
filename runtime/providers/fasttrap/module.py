"""The pid provider and USDT: traps in user programs.

The module proper is loaded when it is needed, as kernels do: when a probe description may
mean one of its probes, or when a program registers helper DOF.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dof.globs import is_glob
from dof.helpers import DEVICE
from dof.model import ProbeDesc
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import Operations, attributes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.framework import Framework
    from runtime.framework.probes.privileges import Credentials
    from runtime.kernel.base.caller import Caller
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.process import Process
    from runtime.programs.objectfile import Function, LoadObject, ObjectFile
    from runtime.providers.fasttrap.fasttrap import Fasttrap
    from runtime.providers.fasttrap.listing import Past

_ATTRIBUTES = attributes(*["Private/Private/Unknown"] * 5)


class FasttrapModule(Operations):
    """A provider without probes that makes others; and the device that programs register with.

    `boot` returns the kernel, as of `Framework`.
    """

    def __init__(self, framework: Framework, boot: Callable[[], Kernel]) -> None:
        self._framework = framework
        self._boot = boot
        self.loaded: Fasttrap | None = None
        self._past: Past | None = None  # for a report that is to tell of programs that have ended, too

    def attach(self, kernel: Kernel) -> None:
        """Let programs of a kernel that has booted register helper DOF."""
        kernel.devices[DEVICE] = self
        kernel.reports.setdefault("dtrace", {})["fasttrap"] = lambda: self.report(kernel.current.process)

    def load(self) -> Fasttrap:
        if self.loaded is None:
            from runtime.providers.fasttrap.fasttrap import Fasttrap

            self.loaded = Fasttrap(self._framework, self._boot())
        return self.loaded

    def provide(self, desc: ProbeDesc, who: Credentials | None = None) -> None:
        name = desc.provider
        if name and (name[-1].isdigit() or is_glob(name)):
            self.load().provide(desc, who)

    def forget(self, who: Credentials) -> None:
        if self.loaded is not None:
            self.loaded.forget(who)

    def resolve(self, desc: ProbeDesc, who: Credentials | None = None) -> ProbeDesc:
        if desc.provider.startswith("pid") and (desc.provider[3:].isdigit() or is_glob(desc.provider)):
            return self.load().resolve(desc, who)
        return desc

    def bring(self, pid: int, evaltime: str) -> None:
        """Have a new process stand where -x evaltime says.  Raises OSError."""
        self.load().bring(pid, evaltime)

    def report(self, looker: Process | None = None) -> bytes:
        """/proc/dtrace/fasttrap: a line for each place where a probe has, or would have, a trap.

        They are places in processes that the process that looks may control; None looks at all.
        """
        from runtime.providers.fasttrap.listing import HEADING, listing

        rows = [*(self._past.of(looker) if self._past is not None else ()),
                *(listing(self.loaded, looker) if self.loaded is not None else ())]
        return "".join(f"{line}\n" for line in (HEADING, *rows)).encode()

    def keep(self) -> None:
        """From now on `report` has the places of programs that have ended, too."""
        from runtime.providers.fasttrap.listing import Past

        self._past = self._past or Past(self.load())

    def refusals(self, looker: Process | None = None) -> list[str]:
        """Each place that cannot be traced although a probe asked for it: "pid: where: why"."""
        if self.loaded is None:
            return []
        from runtime.providers.fasttrap.listing import refusals

        return list(refusals(self.loaded, looker))

    def hidden(self, looker: Process | None = None) -> list[str]:
        """Each computed jump behind which probes that were asked for are missing."""
        if self.loaded is None:
            return []
        from runtime.providers.fasttrap.listing import hidden

        return list(hidden(self.loaded, looker))

    def function_of(self, provider: str, module: str, function: str) -> tuple[ObjectFile, Function] | None:
        """The function that a pid probe is in, if there is just one of its name."""
        from runtime.providers.fasttrap.pid import process_number

        number = process_number(provider)
        return self.load().function_of(number, module, function) if number is not None else None

    def object_of(self, provider: str, module: str) -> ObjectFile | None:
        """The file that a program's probe is in."""
        return self.loaded.object_of(provider, module) if self.loaded is not None else None

    def objects_of(self, pid: int, module: str, looker: Process | None = None) -> Sequence[LoadObject]:
        """The load objects of a process that `module` names; all that it has so far for "".

        Raises ProcessLookupError when there is no such process that the one that looks may control.
        """
        from runtime.providers.fasttrap.loadobjects import process_of

        process = process_of(self._boot(), pid)
        if process is None or (looker is not None and not looker.may_control(process)):
            raise ProcessLookupError(pid)
        fasttrap = self.load()
        return fasttrap.answering(process, module) if module else fasttrap.objects.of(process)

    def mistake(self, desc: ProbeDesc, looker: Process | None = None) -> tuple[str, str] | None:
        """Why `desc` means no pid probe: a diagnostic's tag and text."""
        if not desc.provider.startswith("pid"):
            return None
        from runtime.providers.fasttrap.mistakes import explain

        return explain(self.load(), desc, looker)

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        """Raises SyscallError."""
        return self.load().helper.ioctl(self._boot().threads[thread.tid], request, argument)


def install(framework: Framework, boot: Callable[[], Kernel]) -> FasttrapModule:
    """Make user-level tracing possible."""
    module = FasttrapModule(framework, boot)
    framework.register("fasttrap", _ATTRIBUTES, Privilege.USER, module)
    return module
