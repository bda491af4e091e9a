"""`dtrace -G`: replace the probe calls of objects, and generate the object that tells of them.

All objects are read and every site is settled before anything is written, and
all files are written or none: an error leaves the objects as they were.  Then each object has its calls
replaced, and its functions with probes get an alias that other objects can
refer to; and the generated object is a copy of the registration code with
the DOF, its relocations against those aliases, stubs, and notes for other
tracers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from dif.elfnumbers import EM_386, EM_AARCH64, EM_X86_64
from dif.limits import SYMBOLS
from dof.elf import (
    SHN_COMMON,
    SHN_UNDEF,
    STB_GLOBAL,
    STB_WEAK,
    STT_OBJECT,
    STV_HIDDEN,
    ElfError,
    Section,
    Symbol,
)
from dof.model import Program
from dof.outputs import write
from dof.usdt.definition import ProviderDefinition
from dof.usdt.inputs import Inputs, Library, open_inputs
from dof.usdt.instructions import InstructionSet
from dof.usdt.machines import select
from dof.usdt.output import generate_object
from dof.usdt.plan import Plan, make_plan, stub_symbol
from dof.usdt.sites import (
    ALIAS_PREFIX,
    PREFIX,
    RELEASED,
    Call,
    Function,
    LinkError,
    ProbeObject,
    find,
    references,
)

__all__ = ["NOTES", "TARGETS", "LinkError", "link"]

TARGETS = ("linux", "illumos", "freebsd")
NOTES = ("no", "yes", "semaphores")
HOST_MACHINES = {"x86_64": (EM_X86_64, 64), "i686": (EM_386, 32), "aarch64": (EM_AARCH64, 64)}


def link(providers: Sequence[ProviderDefinition], objects: Sequence[str], output: str, *,
         program: Program | None = None, bits: int | None = None, target: str = "linux",
         stapsdt: str | None = None, linktype: str = "elf", most_symbols: int = SYMBOLS) -> None:
    """Link `objects`, archives among them, with their probes: change them in place and write `output`.

    Where there is one archive and nothing else, and `output` ends in ".a", that becomes a copy of the archive
    with its objects changed and the generated one in it.

    `program` holds clauses to go into the same DOF.  `bits` is 32 or 64 to
    insist on a class, None to take the objects'.  `stapsdt` is one of
    NOTES, None for what suits the target; with "semaphores" the probes'
    is-enabled tests answer readers of the notes, too, at the price of a call.
    `linktype` "dof" writes the DOF alone.  No object may have more than `most_symbols`.  A second run over
    the same objects gives the same output.  Raises LinkError, BrokenPipeError.
    """
    known = references(list(providers))
    inputs = open_inputs(objects, most_symbols)
    opened = inputs.objects
    copied = _copied(inputs, objects, output)
    for path in objects if copied is None else ():
        if os.path.exists(output) and os.path.samefile(path, output):
            raise LinkError(f"{path} is one of the objects: it cannot be the output, too")
    machine = _machine(opened, bits)
    for each in opened:
        find(each, known)
    stapsdt = stapsdt or ("yes" if target == "linux" and machine.notes else "no")
    if stapsdt != "no" and not machine.notes:
        raise LinkError(f"no tracer reads notes of {machine.name} programs")
    plan = make_plan(opened, list(providers), stapsdt == "semaphores")
    if providers:
        _check_used(plan, list(providers), len(opened))
    data = generate_object(plan, machine, program or Program(), target,
                           stapsdt=stapsdt != "no", linktype=linktype)
    # In an archive's copy the generated object is at hand: a linker must take it, also one that does not look
    # for more than common symbols in archives, as LLVM's.
    anchor = SHN_COMMON if copied is None else SHN_UNDEF
    changed = {each.path: _rewritten(each, plan, anchor) for each in opened}
    fresh = {path: contents for path, contents in changed.items() if contents is not None}
    files = inputs.files(fresh) if copied is None else {}
    if copied is not None:
        data = copied.copy(fresh, providers[0].name if providers else "helpers", data)
    try:
        # The output last, and so the newest: make(1) looks.  Ninja compiles objects again that have changed.
        write({**files, output: data}, as_old=files)
    except BrokenPipeError:
        raise  # the reader wants no more
    except OSError as error:
        raise LinkError(f"cannot write {error.filename}: {error.strerror}") from None


def _copied(inputs: Inputs, paths: Sequence[str], output: str) -> Library | None:
    """The archive of which the output is to be a copy; None if the output is to be an object.

    Raises LinkError.
    """
    if not inputs.libraries or not output.endswith(".a"):
        return None
    if len(paths) > 1:
        raise LinkError(f"{output} would be a copy of an archive with its probes, but there are {len(paths)}"
                        " files: give one archive alone, or -o the name of an object")
    return inputs.libraries[0]


def _machine(objects: list[ProbeObject], bits: int | None) -> InstructionSet:
    for each in objects:
        if bits is not None and each.machine.bits != bits:
            raise LinkError(f"{each.path} is a {each.machine.bits}-bit object, not one of {bits} bits")
        if each.machine.machine != objects[0].machine.machine:
            raise LinkError(f"{each.path} is for {each.machine.name}, but {objects[0].path} is for"
                            f" {objects[0].machine.name}")
    if objects:
        return objects[0].machine
    host = HOST_MACHINES.get(os.uname().machine, HOST_MACHINES["x86_64"])
    chosen = select(*(HOST_MACHINES["i686"] if bits == 32 else host))
    assert chosen is not None
    return chosen


def _check_used(plan: Plan, providers: list[ProviderDefinition], count: int) -> None:
    used = {each.provider.name for each in plan.instances}
    unused = ", ".join(each.name for each in providers if each.name not in used)
    if unused:
        raise LinkError(f"the objects call no probe of provider {unused}" if count else
                        f"give the objects that call the probes of provider {unused} (for a header"
                        " of notes, -x header=sdt)")


def _rewritten(target: ProbeObject, plan: Plan, anchor: int) -> bytes | None:
    """The object with its probe calls replaced and the anchor in section `anchor`.

    None when an earlier run did it all.
    """
    symtab = target.symtab
    if symtab is None or not target.calls:
        return None
    aliases = [function for function, name in plan.aliases(target).items()
               if (function.section, function.value) not in target.aliases]
    fresh = [call for call in target.calls if not call.done]
    if not aliases and not fresh and plan.anchor in target.anchors:
        return None
    stubs: dict[bytes, int] = {}
    for call in fresh:
        if call.site is None:
            _lead_to_stub(target, symtab, call, stubs)
        else:
            _replace(target, call)
    for index, name in sorted({call.relocation.symbol: call.reference.symbol for call in fresh}.items()):
        _release(target, symtab, index, name.encode())
    for function in aliases:
        _add_alias(target, symtab, function, plan.aliases(target)[function])
    if plan.anchor not in target.anchors:
        alignment = size = int(anchor == SHN_COMMON)
        target.elf.add_symbol(symtab, Symbol(plan.anchor, alignment, size, STB_GLOBAL << 4 | STT_OBJECT,
                                             STV_HIDDEN, anchor))
    try:
        return target.elf.save()
    except ElfError as error:
        raise LinkError(f"{target.path}: {error}") from None


def _set_relocation(target: ProbeObject, call: Call, offset: int, symbol: int, kind: int) -> None:
    layout, shift = target.elf.relocation_layout(call.table)
    at = call.entry * layout.size
    row = list(layout.unpack_from(target.elf.contents(call.table), at))
    row[:2] = offset, symbol << shift | kind
    target.elf.edit(call.table)[at:at + layout.size] = layout.pack(*row)


def _replace(target: ProbeObject, call: Call) -> None:
    site = call.site
    assert site is not None
    code = target.elf.edit(target.elf.section_at(call.table.info))
    code[site.start:site.start + len(site.code)] = site.code
    _set_relocation(target, call, site.start, call.relocation.symbol, target.machine.none)


def _lead_to_stub(target: ProbeObject, symtab: Section, call: Call, stubs: dict[bytes, int]) -> None:
    name = stub_symbol(target, call)
    if name not in stubs:
        stubs[name] = target.elf.add_symbol(symtab, Symbol(name, 0, 0, STB_GLOBAL << 4, STV_HIDDEN, 0))
    _set_relocation(target, call, call.relocation.offset, stubs[name], call.relocation.type)


def _release(target: ProbeObject, symtab: Section, index: int, name: bytes) -> None:
    """A probe function that nothing calls any more need not be defined anywhere.

    Another name tells later runs.
    """
    released = Symbol(name.replace(PREFIX, RELEASED, 1), 0, 0, STB_WEAK << 4, STV_HIDDEN, 0)
    target.elf.set_symbol(symtab, index, released, rename=True)


def _add_alias(target: ProbeObject, symtab: Section, function: Function, name: bytes) -> None:
    """A name for `function` that every object of the program, and no other, can use.

    It has no type and no size, so that symbolizers prefer the function's own name.
    """
    binding = STB_WEAK if name.startswith(ALIAS_PREFIX + b".") else STB_GLOBAL
    target.elf.add_symbol(symtab, Symbol(name, function.value, 0, binding << 4, STV_HIDDEN, function.section))
