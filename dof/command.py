"""The commands difas (text → DOF) and difdis (DOF, or ELF with DOF in it → text)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from dif import disassembler, isa, validator
from dif.assembler import AssemblerError
from dof import files, inspection, reader, text, writer
from dof.format import DofError
from dof.model import Program


class _Failure(Exception):
    """Ends a command with one line and status 1."""


def assemble_main(arguments: Sequence[str] | None = None) -> int:
    """difas: assemble DIF, and the program around it, into DOF."""
    parser = argparse.ArgumentParser("difas", description="Assemble DIF text into a DOF file.")
    parser.add_argument("file", help="text, as difdis writes it (- for standard input)")
    parser.add_argument("-o", "--output", metavar="FILE", help="DOF to write (default: FILE with .dof)")
    parser.add_argument("-t", "--target", choices=isa.TARGETS, default="illumos",
                        help="whose subroutine and variable numbers names stand for")
    parser.add_argument("--byte-order", choices=("little", "big"), default="little")
    parser.add_argument("--dof-version", type=int, choices=(1, 2), help="default: the least that will do")
    parser.add_argument("-f", "--force", action="store_true", help="write objects that a kernel would refuse")
    return _run("difas", parser, arguments, _assemble)


def disassemble_main(arguments: Sequence[str] | None = None) -> int:
    """difdis: show DOF as text that difas reads again, or in other forms."""
    parser = argparse.ArgumentParser("difdis", description="Show the contents of DOF and ELF files.")
    parser.add_argument("file", help="DOF file or ELF file with DOF sections (- for standard input)")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("-S", "--listing", action="store_true", help="list DIF as dtrace -S does")
    form.add_argument("--sections", action="store_true", help="show the section table")
    form.add_argument("--json", action="store_true", help="every section and entry as JSON")
    form.add_argument("--check", choices=("enabling", "helper"),
                      help="say whether a kernel would take it, and why not")
    parser.add_argument("-t", "--target", choices=isa.TARGETS, default="illumos", help="for --check")
    return _run("difdis", parser, arguments, _disassemble)


def _run(name: str, parser: argparse.ArgumentParser, arguments: Sequence[str] | None,
         job: Callable[[argparse.Namespace], None]) -> int:
    options = parser.parse_args(arguments)
    try:
        job(options)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (DofError, AssemblerError, _Failure) as error:
        print(f"{name}: {_shown(options.file)}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{name}: {_shown(error.filename or options.file)}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _shown(path: str) -> str:
    return "standard input" if path == "-" else path


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()


def _write(path: str | None, data: bytes) -> None:
    if path is None or path == "-":
        sys.stdout.buffer.write(data)
        return
    with open(path, "wb") as file:
        file.write(data)


def _assemble(options: argparse.Namespace) -> None:
    source = _read(options.file).decode("utf-8", "surrogateescape")
    program = text.load(source, target=options.target)
    if not options.force:
        _judge(program, options.target)
    data = writer.write(program, version=options.dof_version, byteorder=options.byte_order, share=False)
    output = options.output
    if output is None and options.file != "-":
        output = os.path.splitext(options.file)[0] + ".dof"
    _write(output, data)


def _judge(program: Program, target: str) -> None:
    for number, difo in enumerate(program.objects()):
        refusals = validator.validate(difo, target=target)
        if refusals:
            raise _Failure(f"object d{number}: {refusals[0]}")


def _disassemble(options: argparse.Namespace) -> None:
    found = files.find(_read(options.file))
    if options.json:
        import json
        shown = [{"place": item.place, **inspection.describe(item.container)} for item in found]
        output = json.dumps(shown[0] if len(shown) == 1 else shown, indent=1) + "\n"
    elif options.check:
        output = "".join(_check(item, options) for item in found)
    else:
        output = "".join(_show(item, options, len(found)) for item in found)
    _write(options.output, output.encode("utf-8", "surrogateescape"))


def _show(item: files.Found, options: argparse.Namespace, count: int) -> str:
    heading = f"# {item.place}\n" if count > 1 or item.place != "file" else ""
    if options.sections:
        return heading + inspection.table(item.container)
    program = reader.read(item.data)
    if options.listing:
        return heading + "".join(disassembler.listing(difo, number)
                                 for number, difo in enumerate(program.objects()))
    return heading + text.dump(program)


def _check(item: files.Found, options: argparse.Namespace) -> str:
    if options.check == "helper":
        reader.read_helper(item.data, base=0, address=0, target=options.target)
    else:
        reader.read_enabling(item.data, target=options.target)
    return f"{item.place}: accepted\n"
