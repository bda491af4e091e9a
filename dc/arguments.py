"""The command line of dc, taken apart."""

from __future__ import annotations

from dc import versions
from dc.options import OptionError, Options, more
from dc.script import PROGRAMS, Request
from dif.records import Record, field
from dof.commandline import HELP, MORE, VERSION, Command, Section, Switch, Usage, model_bits, option
from dof.commandline import parse as parse_switches
from dof.options import TABLE, Reader

EMIT = ("ast", "types", "dif", "dof", "json", "html")
_OPTIONS = {f"-{TABLE[name].letter}": name for name in (
    "cpp", "define", "undef", "incdir", "cpphdrs", "stdc", "libdir", "bufsize", "quiet", "destructive",
    "zdefs")}

COMMAND = Command(
    "dc", "[OPTION ...] [SCRIPT ...] [-- ARGUMENT ...]",
    "Compile D programs to DOF.  SCRIPT - is standard input; each ARGUMENT is $1, $2, ...",
    f"D {versions.spell(versions.LATEST)}",
    (PROGRAMS,
     Section("what to write", (
         Switch("-o", "where to write (default: SCRIPT.dof, or d.out; - is standard output)", "FILE"),
         Switch("-e", "nothing: check only; with --emit json, the diagnostics"),
         Switch("-S", "a listing of the DIF"),
         Switch("--emit", f"one of {', '.join(EMIT)}; difas reads dif", "FORM"))),
     Section("compiling", (
         *(option(name) for name in _OPTIONS.values()),
         Switch("-x", "set an option", "OPTION[=VALUE]"),
         Switch("-3", "data model ILP32", "2"),
         Switch("-6", "data model LP64, the default", "4"),
         Switch("--all-errors", "go on after an error, and report every one"),
         Switch("--lsp", "serve an editor, by the Language Server Protocol; nothing is compiled"),
         Switch("--types", "the kernel's types, as C declarations", "FILE.h"))),
     Section("", (VERSION, HELP))),
    MORE)


class Arguments(Record):
    """Everything the command line says."""

    inputs: list[Request] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)  # $1, $2, ...
    options: Options = field(default_factory=Options)
    output: str | None = None
    emit: str = "dof"
    check: bool = False
    all_errors: bool = False
    bits: int = 64
    header: str | None = None
    serves: bool = False  # an editor


def parse(argv: list[str]) -> Arguments:
    """Take `argv` (without the program's name) apart.  Raises Usage; Done for --help and -V."""
    ours, operands = argv, []
    if "--" in argv:
        at = argv.index("--")
        ours, operands = argv[:at], argv[at + 1:]
    pairs, scripts = parse_switches(COMMAND, ours)
    arguments = Arguments(operands=operands)
    for name, value in pairs:
        _take(arguments, name, value)
    arguments.inputs += [Request("script", script) for script in scripts]
    if not arguments.inputs and not arguments.serves:
        raise Usage("no program given")
    return arguments


def _take(arguments: Arguments, name: str, value: str) -> None:
    """One switch.  Raises Usage."""
    request = Request.of(name, value)
    if request is not None:
        arguments.inputs.append(request)
    elif name in _OPTIONS or name == "-x":
        _set(arguments.options, name, value)
    elif name in ("-3", "-6"):
        arguments.bits = model_bits(name, value)
    elif name == "--emit":
        if value not in EMIT:
            raise Usage(f"--emit: {value} is none of {', '.join(EMIT)}")
        arguments.emit = value
    elif name == "-S":
        arguments.emit = "listing"
    elif name == "-e":
        arguments.check = True
    elif name == "--lsp":
        arguments.serves = True
    elif name == "--all-errors":
        arguments.all_errors = True
    elif name == "--types":
        arguments.header = value
    elif name == "-o":
        arguments.output = value


def _set(options: Options, switch: str, value: str) -> None:
    """An option, by -x or by its own letter.  Raises Usage."""
    try:
        if switch == "-x":
            row = TABLE.get(value.partition("=")[0])
            if row is not None and row.reader == Reader.MACHINE:
                raise OptionError("it is for the emulated machine of dtrace")
            options.assign(value)
        else:
            options.set(_OPTIONS[switch], value or None)
    except OptionError as problem:
        name = _OPTIONS.get(switch, value.partition("=")[0])
        raise Usage(f"failed to set {switch} {value}: {problem}; {more(name)}") from None
