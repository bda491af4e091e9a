"""The commands difas (text → DOF) and difdis (DOF, and whatever holds it → text)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

from dif import disassembler, isa, limits, validator
from dif.assembler import AssemblerError
from dif.records import Record, field
from dof import actionrules, files, inspection, reader, text, writer
from dof import format as dof
from dof.commandline import (
    HELP,
    VERSION,
    Command,
    Failure,
    Section,
    Switch,
    Usage,
    parse,
    read_bytes,
    run,
    write_bytes,
)
from dof.format import DofError
from dof.helpers import Taken, admit
from dof.model import Program

_TARGETS = "|".join(isa.TARGETS)
_FORMATS = f"DIF {limits.DIF_VERSION}, DOF {' and '.join(map(str, dof.VERSIONS))}"

DIFAS = Command(
    "difas", "[OPTION ...] FILE",
    "Assemble DIF text, and the program around it, into a DOF file.  FILE is text as difdis writes it, - "
    "standard input.",
    _FORMATS, (Section("", (
        Switch("-o", "DOF to write (default: FILE with .dof)", "FILE", "--output"),
        Switch("-t", "whose subroutine and variable numbers names stand for", _TARGETS, "--target"),
        Switch("--byte-order", "of the DOF (default: little)", "little|big"),
        Switch("--dof-version", "default: the least that will do", "|".join(map(str, dof.VERSIONS))),
        Switch("-f", "write objects that a kernel would refuse", other="--force"),
        VERSION, HELP)),))

DIFDIS = Command(
    "difdis", "[OPTION ...] FILE ...",
    "Show the DOF in files, and where it lies: as text that difas reads, unless another form is asked for.\n"
    "FILE is DOF, ELF (a core file, too), Mach-O, an archive of these, the dtrace.conf of dtrace -A, or any\n"
    "other bytes, which are searched; - is standard input.",
    _FORMATS, (Section("", (
        Switch("-o", "where to write (default: standard output)", "FILE", "--output"),
        Switch("-S", "list DIF as dtrace -S does", other="--listing"),
        Switch("--sections", "show the section table"),
        Switch("--json", "every section and entry as JSON"),
        Switch("--diff", "compare two files by what they mean; status 1 if they differ"),
        Switch("--check", "say whether a kernel would take it, and why not", "enabling|helper"),
        Switch("-t", "for --check: whose numbers are meant", _TARGETS, "--target"),
        VERSION, HELP)),))


class _Arguments(Record):
    """What either command line says; `form` is the switch for the form that difdis shows.

    `taken` is, for --check, what a process has of helper DOF that has registered all of a file so far.
    """

    files: list[str] = field(default_factory=list)
    output: str | None = None
    target: str = "illumos"
    byte_order: dof.ByteOrder = "little"
    dof_version: int | None = None
    force: bool = False
    form: str = ""
    check: str = ""
    taken: dict[str, Taken] = field(default_factory=dict)


def assemble_main(argv: Sequence[str] | None = None) -> int:
    """difas: assemble DIF, and the program around it, into DOF; return the exit status."""
    return run(DIFAS, lambda words: _assemble(_arguments(DIFAS, words)), argv)


def disassemble_main(argv: Sequence[str] | None = None) -> int:
    """difdis: show DOF as text that difas reads again, or in other forms; return the exit status."""
    return run(DIFDIS, lambda words: _look(_arguments(DIFDIS, words)), argv)


def _arguments(command: Command, argv: Sequence[str]) -> _Arguments:
    """Take a command line apart.  Raises Usage, Done."""
    pairs, operands = parse(command, argv)
    if not operands or (command is DIFAS and len(operands) > 1):
        raise Usage("a file is needed" if not operands else f"one file at a time, not {len(operands)}")
    arguments = _Arguments(operands)
    allowed = {switch.name: switch.value.split("|") for switch in command.switches() if "|" in switch.value}
    for name, value in pairs:
        if value not in allowed.get(name, [value]):
            raise Usage(f"{name} takes {' or '.join(allowed[name])}, not {value}")
        if name in ("-S", "--sections", "--json", "--check", "--diff"):
            if arguments.form not in ("", name):
                raise Usage(f"{arguments.form} and {name} exclude one another")
            arguments.form, arguments.check = name, value
        elif name == "-o":
            arguments.output = value
        elif name == "-t":
            arguments.target = value
        elif name == "--byte-order":
            arguments.byte_order = "big" if value == "big" else "little"
        elif name == "--dof-version":
            arguments.dof_version = int(value)
        else:
            arguments.force = True
    if arguments.form == "--diff" and len(operands) != 2:
        raise Usage(f"--diff compares two files, not {len(operands)}")
    return arguments


def _assemble(arguments: _Arguments) -> int:
    """Write the DOF of a text; return the exit status.  Raises Failure."""
    file, output = arguments.files[0], arguments.output
    try:
        program = text.load(read_bytes(file).decode("utf-8", "surrogateescape"), target=arguments.target)
        if not arguments.force:
            _judge(program, arguments.target)
        data = writer.write(program, version=arguments.dof_version, byteorder=arguments.byte_order,
                            share=False)
    except (DofError, AssemblerError) as error:
        raise Failure(f"{_called(file)}: {error}") from None
    if output is None and file != "-":
        output = os.path.splitext(file)[0] + ".dof"
    write_bytes(output, data)
    return 0


def _called(file: str) -> str:
    """Return how a message calls a file."""
    return "standard input" if file == "-" else file


def _judge(program: Program, target: str) -> None:
    for number, difo in enumerate(program.objects()):
        refusals = validator.validate(difo, target=target)
        if refusals:
            raise DofError(f"object d{number}", str(refusals[0]))


class _Object(Record):
    """A DOF object with the file that holds it, and the words for its place among all that are shown."""

    file: str
    found: files.Found
    heading: str


def _look(arguments: _Arguments) -> int:
    return _compare(arguments) if arguments.form == "--diff" else _disassemble(arguments)


def _compare(arguments: _Arguments) -> int:
    """Show how the DOF of two files differs, object by object; return 0 if it does not, else 1.

    Raises Failure.
    """
    from dof.comparison import differences

    sides: list[list[_Object]] = []
    programs: list[list[Program]] = []
    for file in arguments.files:
        try:
            sides.append(_objects(file, True))
            programs.append([reader.read(each.found.data) for each in sides[-1]])
        except DofError as error:
            raise Failure(f"{_called(file)}: {error}") from None
    lines: list[str] = []
    for number in range(max(map(len, sides))):
        old, new = ([side[number].heading[2:-1]] if number < len(side) else [] for side in sides)
        first, second = (side[number] if number < len(side) else Program() for side in programs)
        try:
            found = differences(first, second)
        except DofError as error:
            raise Failure(f"{', '.join(old + new)}: {error}") from None
        if found or not old or not new:
            lines += [f"--- {''.join(old) or '(no object)'}", f"+++ {''.join(new) or '(no object)'}", *found]
    write_bytes(arguments.output, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    return 1 if lines else 0


def _disassemble(arguments: _Arguments) -> int:
    """Show what all the files hold; return the exit status.

    A file that holds no DOF, or broken DOF, keeps no other from being shown.  Raises Failure.
    """
    objects: list[_Object] = []
    shown: list[str] = []
    failures: list[str] = []
    show = _FORMS[arguments.form]
    for file in arguments.files:
        try:
            new = _objects(file, len(arguments.files) > 1)
            shown += [show(each, arguments) for each in new]
            objects += new
        except DofError as error:
            failures.append(f"{_called(file)}: {error}")
        except Failure as error:
            failures.append(str(error))
    if objects:
        output = "".join(shown)
        if arguments.form == "--json":
            single = len(objects) == 1 and len(arguments.files) == 1
            output = shown[0] + "\n" if single else "[\n" + ",\n".join(shown) + "\n]\n"
        write_bytes(arguments.output, output.encode("utf-8", "surrogateescape"))
    if failures:
        raise Failure("".join(f"{DIFDIS.program}: {each}\n" for each in failures), report=True)
    return 0


def _objects(file: str, several: bool) -> list[_Object]:
    """The DOF objects of a file, one of `several` files or alone.  Raises DofError, Failure."""
    from dof.holders.archive import read_member

    found = files.find(read_bytes(file), None if file == "-" else partial(read_member, file))
    places = [f"{_called(file)}: {each.place}" if several else each.place for each in found]
    alone = not several and len(found) == 1 and found[0].place == "file"
    return [_Object(file, each, "" if alone else f"# {place}\n")
            for each, place in zip(found, places, strict=True)]


def _text(each: _Object, _arguments: _Arguments) -> str:
    return each.heading + text.dump(reader.read(each.found.data))


def _listing(each: _Object, _arguments: _Arguments) -> str:
    program = reader.read(each.found.data)
    return each.heading + "".join(disassembler.listing(difo, number)
                                  for number, difo in enumerate(program.objects()))


def _sections(each: _Object, _arguments: _Arguments) -> str:
    return each.heading + inspection.table(each.found.container)


def _json(each: _Object, _arguments: _Arguments) -> str:
    import json

    found = each.found
    return json.dumps({"file": each.file, "place": found.place, "offset": found.offset,
                       **inspection.describe(found.container)}, indent=1)


def _check(each: _Object, arguments: _Arguments) -> str:
    if arguments.check == "helper":
        _check_helper(each, arguments)
    else:
        for number, ecb in enumerate(reader.read_enabling(each.found.data, target=arguments.target).ecbs):
            try:
                actionrules.check_actions(ecb.actions)
            except actionrules.Refused as reason:
                raise DofError(f"ECB {number}, once a probe matches", str(reason)) from None
    place = each.heading.removeprefix("# ").rstrip("\n") or each.found.place
    return f"{place}: accepted\n"


def _check_helper(each: _Object, arguments: _Arguments) -> None:
    """Raise DofError unless a kernel takes all of an object from a process that has taken those before it."""
    program = reader.read_helper(each.found.data, base=0, address=0, target=arguments.target)
    whole = "" if each.found.place.startswith("member ") else each.file  # members may be of several programs
    taken = arguments.taken.get(whole) if whole else None
    admission = admit(program, taken or Taken())
    if admission.refused:
        raise admission.refused[0]
    if whole:
        arguments.taken[whole] = admission.taken


_FORMS: dict[str, Callable[[_Object, _Arguments], str]] = {
    "": _text, "-S": _listing, "--sections": _sections, "--json": _json, "--check": _check}
