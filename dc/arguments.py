"""The command line of dc, taken apart."""

from __future__ import annotations

from dc import getoptions, versions
from dc.options import OptionError, Options
from dif.records import Record, field

EMIT = ("ast", "types", "dif", "dof", "json")
_SPECIFIERS = {"-P": "provider", "-m": "module", "-f": "function", "-n": "name", "-i": "name"}
_VALUED = {"-D": "define", "-I": "incdir", "-L": "libdir", "-U": "undef", "-b": "bufsize"}
_SWITCHES = {"-C": "cpp", "-H": "cpphdrs", "-Z": "zdefs", "-w": "destructive", "-q": "quiet"}

USAGE = """\
usage: dc [options] [script.d ...] [-- argument ...]

Compile D programs to DOF.

  script.d           a D program; - is standard input
  -s script.d        the same
  -n 'probe { }'     a program given as text (also -P -m -f -i, whose descriptions end earlier)
  -o file            where to write (default: SCRIPT.dof, or d.out; - is standard output)
  -e                 check only
  -S                 list the DIF
  --emit FORM        ast, types, dif (for difas), dof (the default) or json
  --all-errors       go on after an error, and report every one
  -C                 preprocess first; -D name[=text], -U name, -I directory, -H as cc's
  -L directory       a directory of D libraries
  -x option[=value]  set an option; -b size, -q, -w, -Z set theirs
  -32, -64           data model
  --types file.h     the kernel's types, as C declarations
  -V, --help
"""


class UsageError(Exception):
    """The command line makes no sense."""


class Input(Record):
    """A program: a script's path ("-" for standard input), or its text when there is a `specifier`."""

    text: str
    specifier: str | None = None


class Arguments(Record):
    """Everything the command line says."""

    inputs: list[Input] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)  # $1, $2, ...
    options: Options = field(default_factory=Options)
    output: str | None = None
    emit: str = "dof"
    check: bool = False
    all_errors: bool = False
    bits: int = 64
    header: str | None = None


def parse(argv: list[str]) -> Arguments | None:
    """Take `argv` (without the program's name) apart; None when there is nothing left to do.

    Raises UsageError.
    """
    ours, operands = argv, []
    if "--" in argv:
        at = argv.index("--")
        ours, operands = argv[:at], argv[at + 1:]
    try:
        pairs, scripts = getoptions.gnu_getopt(
            ours, "V" "CeHqSwZ" "P:m:f:n:i:s:" "b:D:I:L:o:U:x:" "3:6:",
            ["all-errors", "emit=", "help", "types=", "version"])
    except getoptions.GetoptError as problem:
        raise UsageError(f"{problem}\n{USAGE}".rstrip()) from None
    arguments = Arguments(operands=operands)
    for letter, value in pairs:
        if letter == "--help":
            print(USAGE, end="")
            return None
        if letter in ("-V", "--version"):
            print(f"dc: D {versions.spell(versions.LATEST)}")
            return None
        _take(arguments, letter, value)
    arguments.inputs += [Input(script) for script in scripts]
    if not arguments.inputs:
        raise UsageError(f"no program given\n{USAGE}".rstrip())
    return arguments


def _take(arguments: Arguments, letter: str, value: str) -> None:
    try:
        if letter in _VALUED:
            arguments.options.set(_VALUED[letter], value)
        elif letter in _SWITCHES:
            arguments.options.set(_SWITCHES[letter])
        elif letter == "-x":
            arguments.options.assign(value)
    except OptionError as problem:
        raise UsageError(f"failed to set {letter} {value}: {problem}") from None
    if letter in _SPECIFIERS:
        arguments.inputs.append(Input(value, _SPECIFIERS[letter]))
    elif letter == "-s":
        arguments.inputs.append(Input(value))
    elif letter in ("-3", "-6"):
        if letter + value not in ("-32", "-64"):
            raise UsageError(f"illegal option {letter}{value}")
        arguments.bits = int(letter[1:] + value)
    elif letter == "--emit":
        if value not in EMIT:
            raise UsageError(f"--emit: {value} is none of {', '.join(EMIT)}")
        arguments.emit = value
    elif letter == "-S":
        arguments.emit = "listing"
    elif letter == "-e":
        arguments.check = True
    elif letter == "--all-errors":
        arguments.all_errors = True
    elif letter == "--types":
        arguments.header = value
    elif letter == "-o":
        arguments.output = value
