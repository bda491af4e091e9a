"""Built-in D variables: how each gets its value, one row a variable.

The names and ids are those of the ISA table; the meaning of each is in the
"Variables" chapter of the Dynamic Tracing Guide.
"""

from __future__ import annotations

from collections.abc import Callable

from dif import isa
from runtime.framework.execution.faults import DifFault, Fault
from runtime.framework.execution.firing import Firing
from runtime.framework.host import MemoryFault

Getter = Callable[[Firing, int], int]
_STACK_MAX = 512
_M = 0xFFFFFFFFFFFFFFFF


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


def _uregs(firing: Firing, index: int) -> int:
    try:
        return firing.context.register(index) & _M
    except MemoryFault as fault:
        raise DifFault(Fault.BADADDR, fault.address) from None
    except (ValueError, LookupError):
        raise DifFault(Fault.ILLOP) from None


def _walltime(firing: Firing, index: int) -> int:
    if not firing.walltime:
        firing.walltime = firing.host.walltime()
    return firing.walltime


def kernel_stack(firing: Firing, limit: int) -> list[int]:
    """Kernel program counters without the probe's own frames."""
    skip = firing.probe.aframes
    return list(firing.host.kernel_stack(limit + skip))[skip:]


def _caller(firing: Firing, index: int) -> int:
    frames = kernel_stack(firing, 1)
    return frames[0] if frames else 0


def _ucaller(firing: Firing, index: int) -> int:
    frames = firing.user_stack(2)
    return frames[1] if len(frames) > 1 else 0


def _name(field: str) -> Getter:
    return lambda firing, index: firing.kernel_string(getattr(firing.probe, field).encode())


def _provider(firing: Firing, index: int) -> int:
    return firing.kernel_string(firing.probe.provider.name.encode())


def _context_number(field: str) -> Getter:
    return _process(lambda firing, index: getattr(firing.host.current, field) & _M)


def _context_string(field: str) -> Getter:
    return _process(lambda firing, index: firing.kernel_string(getattr(firing.host.current, field)))


def _execargs(firing: Firing, index: int) -> int:
    text = firing.context.psargs
    return firing.new_string(text.rstrip(b"\0").replace(b"\0", b" "), len(text) + 1)


def _argument(number: int) -> Getter:
    return lambda firing, index: firing.argument(number)


_GETTERS: dict[str, Getter] = {
    "args": lambda firing, index: firing.argument(index),
    "uregs": _process(_uregs),
    "curthread": _context_number("address"),
    "timestamp": lambda firing, index: firing.now(),
    "vtimestamp": lambda firing, index: firing.host.vtime(),
    "ipl": _kernel(lambda firing, index: 0),
    "epid": lambda firing, index: firing.epid,
    "id": lambda firing, index: firing.probe.id,
    **{f"arg{n}": _argument(n) for n in range(10)},
    "stackdepth": _kernel(lambda firing, index: len(kernel_stack(firing, _STACK_MAX))),
    "caller": _kernel(_caller),
    "probeprov": _provider,
    "probemod": _name("module"),
    "probefunc": _name("function"),
    "probename": _name("name"),
    "pid": _context_number("pid"),
    "tid": lambda firing, index: firing.host.current.tid,
    "execname": _context_string("execname"),
    "zonename": _context_string("zonename"),
    "walltimestamp": _walltime,
    "ustackdepth": _process(lambda firing, index: len(firing.user_stack(_STACK_MAX))),
    "ucaller": _process(_ucaller),
    "ppid": _context_number("ppid"),
    "uid": _context_number("uid"),
    "gid": _context_number("gid"),
    "errno": _context_number("errno"),
    "execargs": _process(_execargs),
    "threadname": _context_string("threadname"),
    "jid": _context_number("zone"),
    "jailname": _context_string("zonename"),
    "cpu": lambda firing, index: firing.cpu,
}


def getters(target: str) -> dict[int, Getter]:
    """How to read each built-in variable of `target`, by id; others are illegal operations."""
    return {number: _GETTERS[row.name] for number, row in isa.variables(target).items()
            if row.name in _GETTERS}
