"""The commands difas (text → DOF) and difdis (DOF, or ELF with DOF in it → text)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from dif import disassembler, isa, limits, validator
from dif.assembler import AssemblerError
from dif.records import Record
from dof import files, inspection, reader, text, writer
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
    "difdis", "[OPTION ...] FILE",
    "Show what a DOF file, or an ELF file with DOF sections, contains: as text that difas reads, unless "
    "another\nform is asked for.  FILE - is standard input.",
    _FORMATS, (Section("", (
        Switch("-o", "where to write (default: standard output)", "FILE", "--output"),
        Switch("-S", "list DIF as dtrace -S does", other="--listing"),
        Switch("--sections", "show the section table"),
        Switch("--json", "every section and entry as JSON"),
        Switch("--check", "say whether a kernel would take it, and why not", "enabling|helper"),
        Switch("-t", "for --check: whose numbers are meant", _TARGETS, "--target"),
        VERSION, HELP)),))


class _Arguments(Record):
    """What either command line says; `form` is the switch for the form that difdis shows."""

    file: str = ""
    output: str | None = None
    target: str = "illumos"
    byte_order: dof.ByteOrder = "little"
    dof_version: int | None = None
    force: bool = False
    form: str = ""
    check: str = ""


def assemble_main(argv: Sequence[str] | None = None) -> int:
    """difas: assemble DIF, and the program around it, into DOF; return the exit status."""
    return run(DIFAS, lambda words: _on_file(_arguments(DIFAS, words), _assemble), argv)


def disassemble_main(argv: Sequence[str] | None = None) -> int:
    """difdis: show DOF as text that difas reads again, or in other forms; return the exit status."""
    return run(DIFDIS, lambda words: _on_file(_arguments(DIFDIS, words), _disassemble), argv)


def _arguments(command: Command, argv: Sequence[str]) -> _Arguments:
    """Take a command line apart.  Raises Usage, Done."""
    pairs, operands = parse(command, argv)
    if len(operands) != 1:
        raise Usage("one file is needed" if not operands else f"one file at a time, not {len(operands)}")
    arguments = _Arguments(operands[0])
    allowed = {switch.name: switch.value.split("|") for switch in command.switches() if "|" in switch.value}
    for name, value in pairs:
        if value not in allowed.get(name, [value]):
            raise Usage(f"{name} takes {' or '.join(allowed[name])}, not {value}")
        if name in ("-S", "--sections", "--json", "--check"):
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
    return arguments


def _on_file(arguments: _Arguments, work: Callable[[_Arguments], None]) -> int:
    """Do the work; return the exit status.  Raises Failure, which names the file, if it is wrong."""
    try:
        work(arguments)
    except (DofError, AssemblerError) as error:
        shown = "standard input" if arguments.file == "-" else arguments.file
        raise Failure(f"{shown}: {error}") from None
    return 0


def _assemble(arguments: _Arguments) -> None:
    source = read_bytes(arguments.file).decode("utf-8", "surrogateescape")
    program = text.load(source, target=arguments.target)
    if not arguments.force:
        _judge(program, arguments.target)
    data = writer.write(program, version=arguments.dof_version, byteorder=arguments.byte_order, share=False)
    output = arguments.output
    if output is None and arguments.file != "-":
        output = os.path.splitext(arguments.file)[0] + ".dof"
    write_bytes(output, data)


def _judge(program: Program, target: str) -> None:
    for number, difo in enumerate(program.objects()):
        refusals = validator.validate(difo, target=target)
        if refusals:
            raise DofError(f"object d{number}", str(refusals[0]))


def _disassemble(arguments: _Arguments) -> None:
    found = files.find(read_bytes(arguments.file))
    if arguments.form == "--json":
        import json
        shown = [{"place": item.place, **inspection.describe(item.container)} for item in found]
        output = json.dumps(shown[0] if len(shown) == 1 else shown, indent=1) + "\n"
    elif arguments.check:
        output = "".join(_check(item, arguments) for item in found)
    else:
        output = "".join(_show(item, arguments, len(found)) for item in found)
    write_bytes(arguments.output, output.encode("utf-8", "surrogateescape"))


def _show(item: files.Found, arguments: _Arguments, count: int) -> str:
    heading = f"# {item.place}\n" if count > 1 or item.place != "file" else ""
    if arguments.form == "--sections":
        return heading + inspection.table(item.container)
    program = reader.read(item.data)
    if arguments.form == "-S":
        return heading + "".join(disassembler.listing(difo, number)
                                 for number, difo in enumerate(program.objects()))
    return heading + text.dump(program)


def _check(item: files.Found, arguments: _Arguments) -> str:
    if arguments.check == "helper":
        reader.read_helper(item.data, base=0, address=0, target=arguments.target)
    else:
        reader.read_enabling(item.data, target=arguments.target)
    return f"{item.place}: accepted\n"
