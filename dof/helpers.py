"""What a kernel makes of the helper DOF of one process, beyond what it asks of each object by itself.

The limits are those of a process, in dif.limits: the machine counts what a process has registered, difdis
what lies in a file.
"""

from __future__ import annotations

from dif import limits
from dif.records import NamedTuple
from dof.format import DofError
from dof.model import USTACK_HELPER, Ecb, Program, Provider

DEVICE = "/dev/dtrace/helper"  # with which programs register their DOF


class Taken(NamedTuple):
    """How many clauses that name stack frames a process has, and how many objects with providers."""

    clauses: int = 0
    objects: int = 0


class Admission(NamedTuple):
    """The providers of an object that get probes, why others get none, and what the process has then."""

    providers: list[Provider]
    refused: list[DofError]
    taken: Taken


def naming(program: Program) -> list[Ecb]:
    """The clauses by which a process names its own stack frames."""
    return [ecb for ecb in program.ecbs if ecb.probe[:3] == USTACK_HELPER]


def admit(program: Program, taken: Taken) -> Admission:
    """What a kernel makes of an object for a process that has what was `taken` before.

    Raises DofError if it has too many clauses: then nothing is made of it.
    """
    clauses = taken.clauses + len(naming(program))
    if clauses > limits.HELPER_CLAUSES:
        raise DofError("helper", f"over {limits.HELPER_CLAUSES} clauses of one process name stack frames")
    if program.providers and taken.objects >= limits.HELPER_DOFS:
        why = f"over {limits.HELPER_DOFS} objects of one process have providers: this one gets no probes"
        return Admission([], [DofError("helper", why)], Taken(clauses, taken.objects))
    refused = {each.name: why for each in program.providers if (why := _wrong(each.name))}
    return Admission([each for each in program.providers if each.name not in refused],
                     [DofError(f"provider {name}", why) for name, why in refused.items()],
                     Taken(clauses, taken.objects + bool(program.providers)))


def _wrong(name: str) -> str:
    """Why a provider of that name gets no probes in a process; empty if it gets them."""
    most = limits.PROVIDER_NAME - limits.PROCESS_NUMBER - 1
    if name == "pid":
        return "a provider with the name of the system's own gets no probes"
    if len(name.encode("utf-8", "surrogateescape")) > most:
        return f"a provider with a name of more than {most} bytes gets no probes: a process number follows it"
    return ""
