"""Built-in D variables: how each gets its value, one row a variable.

The names, numbers and types are those of the ISA table (dif.isa.VARIABLES); the meaning
of each is in the "Variables" chapter of the Dynamic Tracing Guide.  Some rows spare the
translating engine a call: the variable is a constant of the clause, a member of the
current thread, or has a name in the generated code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from dif import isa
from dif.arithmetic import MASK
from dif.records import NamedTuple
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.base.host import MemoryFault
from runtime.framework.firing.firing import Firing
from runtime.framework.probes.registry import Probe

Getter = Callable[[Firing, int], int]  # the second is the index of an array's element
_STACK_MAX = 512
_PID_BITS = 31  # of process, thread and error numbers


class Fixed(NamedTuple):
    """A variable that is known as soon as a clause is on a probe: an integer, or a string's bytes.

    With `kernel` it is for tracers with dtrace_kernel.
    """

    value: Callable[[Probe, int], int | bytes]  # of the probe and the EPID
    kernel: bool = False


class OfThread(NamedTuple):
    """A member of the current thread (runtime.framework.base.host.Context).

    A number has at most so many `bits`; a string has none.  It is for tracers from whom the process is not
    hidden.
    """

    member: str
    bits: int = 0


class Argument(NamedTuple):
    """An argument of the probe."""

    number: int


class Computed(NamedTuple):
    """A variable that a function computes.

    `text` is what the generated code calls it, if it has it at hand, with at most so many `bits`; the
    code then needs what `needs` names (an attribute of runtime.framework.execution.emitter.Uses).
    """

    getter: Getter
    text: str = ""
    bits: int = 64
    needs: str = ""


Source = Fixed | OfThread | Argument | Computed


# -- functions --------------------------------------------------------------------------------------

def _process(get: Getter) -> Getter:
    """A variable that shows the current process: dtrace_proc is needed."""
    def checked(firing: Firing, index: int) -> int:
        if not firing.kernel_access:
            firing.require_process()
        return get(firing, index)
    return checked


def _kernel(get: Getter) -> Getter:
    """A variable that shows the kernel: dtrace_kernel is needed."""
    def checked(firing: Firing, index: int) -> int:
        firing.require_kernel()
        return get(firing, index)
    return checked


@_process
def _uregs(firing: Firing, index: int) -> int:
    try:
        return firing.context.register(index) & MASK
    except MemoryFault as fault:
        raise DifFault(FaultKind.BADADDR, fault.address) from None
    except (ValueError, LookupError):
        raise DifFault(FaultKind.ILLOP) from None


def _walltime(firing: Firing, index: int) -> int:
    if not firing.walltime:
        firing.walltime = firing.host.walltime()
    return firing.walltime


def kernel_stack(firing: Firing, limit: int) -> list[int]:
    """Kernel program counters without the probe's own frames."""
    skip = firing.probe.aframes
    return list(firing.host.kernel_stack(limit + skip))[skip:]


@_kernel
def _stackdepth(firing: Firing, index: int) -> int:
    return len(kernel_stack(firing, _STACK_MAX))


@_kernel
def _caller(firing: Firing, index: int) -> int:
    frames = kernel_stack(firing, 1)
    return frames[0] if frames else 0


@_process
def _ustackdepth(firing: Firing, index: int) -> int:
    return len(firing.user_stack(_STACK_MAX))


@_process
def _ucaller(firing: Firing, index: int) -> int:
    frames = firing.user_stack(2)
    return frames[1] if len(frames) > 1 else 0


@_process
def _execargs(firing: Firing, index: int) -> int:
    text = firing.context.psargs
    return firing.new_string(text.rstrip(b"\0").replace(b"\0", b" "), len(text) + 1)


# -- the table ----------------------------------------------------------------------------------------

SOURCES: dict[str, Source] = {
    "args": Computed(lambda firing, index: firing.argument(index)),
    "uregs": Computed(_uregs),
    "curthread": OfThread("address", 64),
    "timestamp": Computed(lambda firing, index: firing.now(), "ts", 63, "timestamp"),
    "vtimestamp": Computed(lambda firing, index: firing.host.vtime()),
    "ipl": Fixed(lambda probe, epid: 0, kernel=True),  # probes of this kernel fire at no interrupt level
    "epid": Fixed(lambda probe, epid: epid),
    "id": Fixed(lambda probe, epid: probe.id),
    **{f"arg{number}": Argument(number) for number in range(10)},
    "stackdepth": Computed(_stackdepth),
    "caller": Computed(_caller),
    "probeprov": Fixed(lambda probe, epid: probe.provider.name.encode()),
    "probemod": Fixed(lambda probe, epid: probe.module.encode()),
    "probefunc": Fixed(lambda probe, epid: probe.function.encode()),
    "probename": Fixed(lambda probe, epid: probe.name.encode()),
    "instance": Fixed(lambda probe, epid: probe.provider.registry.instance.encode()),
    "vmname": Fixed(lambda probe, epid: probe.provider.registry.instance.rpartition("/")[2].encode()),
    "pid": OfThread("pid", _PID_BITS),
    "tid": OfThread("tid", _PID_BITS),
    "execname": OfThread("execname"),
    "zonename": OfThread("zonename"),
    "walltimestamp": Computed(_walltime),
    "ustackdepth": Computed(_ustackdepth),
    "ucaller": Computed(_ucaller),
    "ppid": OfThread("ppid", _PID_BITS),
    "uid": OfThread("uid", 32),
    "gid": OfThread("gid", 32),
    "errno": OfThread("errno", _PID_BITS),
    "execargs": Computed(_execargs),
    "threadname": OfThread("threadname"),
    "jid": OfThread("zone", _PID_BITS),
    "jailname": OfThread("zonename"),
    "cpu": Computed(lambda firing, index: firing.cpu, "cpu", 31),
}
NOT_HERE = frozenset({"regs", "vmregs"})  # to load them is an illegal operation: there are no such registers
_ABSENT = {"freebsd": frozenset({"ipl"})}  # so it is with these on one target


def getter(source: Source) -> Getter:
    """How a variable is read in a firing."""
    if isinstance(source, Computed):
        return source.getter
    if isinstance(source, Argument):
        number = source.number
        return lambda firing, index: firing.argument(number)
    if isinstance(source, Fixed):
        value = source.value

        def fixed(firing: Firing, index: int) -> int:
            return _value(firing, value(firing.probe, firing.epid))
        return _kernel(fixed) if source.kernel else fixed
    member = source.member

    def of_thread(firing: Firing, index: int) -> int:
        return _value(firing, getattr(firing.host.current, member))
    return _process(of_thread)


def _value(firing: Firing, value: int | bytes) -> int:
    return firing.environment.strings.intern(value) if isinstance(value, bytes) else value & MASK


@cache
def sources(target: str) -> dict[int, Source]:
    """The rows of `target`'s variables, by number; other variables are illegal operations."""
    return {number: SOURCES[row.name] for number, row in isa.variables(target).items()
            if row.name in SOURCES and row.name not in _ABSENT.get(target, ())}


@cache
def getters(target: str) -> dict[int, Getter]:
    """How each built-in variable of `target` is read, by number."""
    return {number: getter(source) for number, source in sources(target).items()}
