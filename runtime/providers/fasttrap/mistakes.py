"""What dtrace(1) tells a user whose description of pid probes means none, with its D_PROC_* tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dof.globs import is_glob, matcher
from runtime.programs.objectfile import LoadObject
from runtime.providers.fasttrap.loadobjects import process_of
from runtime.providers.fasttrap.pid import NO_FUNCTION, names_processes

if TYPE_CHECKING:
    from dof.model import ProbeDesc
    from runtime.kernel.process.process import Process
    from runtime.providers.fasttrap.fasttrap import Fasttrap
    from runtime.providers.fasttrap.pid import PidProvider

_PROVIDER = re.compile(r"pid([0-9]+)")
_OFFSET = re.compile(r"[0-9a-f]+")

Mistake = tuple[str, str]  # tag, message


def explain(owner: Fasttrap, desc: ProbeDesc, looker: Process | None = None) -> Mistake | None:
    """What is wrong with `desc`; None when it is no description of pid probes, or nothing is wrong.

    Nothing is told of a process that the one that looks may not control; None may control all.
    """
    match = _PROVIDER.fullmatch(desc.provider)
    if match is None:
        if names_processes(desc.provider) and desc.module == "a.out":
            return "D_PROC_LIB", ("module a.out is another file in each process: leave it out, "
                                  "or name the file")
        return None
    pid = int(match[1])
    if pid == 0 or pid >> 31:
        return "D_PROC_BADPID", f"probe description {desc} has no valid process number"
    if desc.function == NO_FUNCTION:
        return _address(desc)
    if not _is_name(desc.name):
        return "D_PROC_NAME", f"probe name {desc.name!r} is not entry, return, or a hexadecimal offset"
    process = process_of(owner.kernel, pid)
    if process is None:
        return "D_PROC_GRAB", f"there is no process {pid} to trace"
    if looker is not None and not looker.may_control(process):
        return "D_PROC_GRAB", (f"process {pid} may not be traced" if looker.zone.sees(process.zone)
                               else f"there is no process {pid} to trace")
    module = matcher(owner.resolve(desc).module)
    objects = [each for each in owner.objects.of(process) if module is None or module(each.name)]
    provider = owner.pids.get(pid)
    if provider is not None and provider.too_much(owner.resolve(desc), objects):
        return "D_PROC_CREATEFAIL", f"failed to create probes in process {pid}: too many instructions"
    if not objects or not desc.function or is_glob(desc.function):
        return None
    return _function(desc, objects) or (_place(desc, objects, provider) if provider is not None else None)


def _address(desc: ProbeDesc) -> Mistake | None:
    """Without a function, offsets are addresses of the program."""
    if desc.module not in ("", "a.out"):
        return "D_PROC_LIB", f"module {desc.module}: only those of a.out can be addresses"
    if not _OFFSET.fullmatch(desc.name):
        return "D_PROC_NAME", f"function {NO_FUNCTION} takes a single address, not {desc.name or 'any'}"
    return None


def _is_name(name: str) -> bool:
    return not name or is_glob(name) or name in ("entry", "return") or bool(_OFFSET.fullmatch(name))


def _function(desc: ProbeDesc, objects: list[LoadObject]) -> Mistake | None:
    found = [function for each in objects for function in each.file.named(desc.function)]
    if any(each.file.resolvers(desc.function) for each in objects):
        return None
    if not found:
        where = f" in {desc.module}" if desc.module else ""
        return "D_PROC_FUNC", f"there is no function {desc.function}{where}"
    if _OFFSET.fullmatch(desc.name) and all(int(desc.name, 16) >= function.size for function in found):
        return "D_PROC_OFF", f"offset {desc.name} is not in function {desc.function}"
    return None


def _place(desc: ProbeDesc, objects: list[LoadObject], provider: PidProvider) -> Mistake | None:
    """Why no trap can stand at that place of the first function that has it."""
    name = "0" if desc.name == "entry" else desc.name
    if not _OFFSET.fullmatch(name):
        return None
    place = next((each.bias + function.start + int(name, 16) for each in objects
                  for function in each.file.named(desc.function) if int(name, 16) < function.size), None)
    why = provider.refused.get(place) if place is not None else None
    if why is not None:
        return "D_PROC_CREATEFAIL", f"{desc} cannot be traced: {why}"
    return None if name != desc.name else (
        "D_PROC_ALIGN", f"no instruction of function {desc.function} begins at offset {name}")
