"""The command line of dtrace(1), taken apart; nothing is done here.

Options and operands may be mixed, as in the field; operands become $1, $2, ...
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from dc import getoptions
from dif.records import NamedTuple, Record, field

LETTERS = "AGhlV" "aBCeFHqSvwZ" "P:m:f:n:i:s:c:p:" "b:D:I:L:o:U:x:X:" "3:6:"
LONG = ("help", "flame=", "folded=", "heatmap=", "live", "progress", "json", "image=")


class Mode(Enum):
    """What the command is to do."""

    TRACE = ""
    VERSION = "-V"
    ANONYMOUS = "-A"
    LINK = "-G"
    LIST = "-l"
    HEADER = "-h"
    HELP = "--help"


_MODES = {mode.value: mode for mode in Mode if mode.value}
_SPECIFIERS = {"-P": "provider", "-m": "module", "-f": "function", "-n": "name", "-i": "name", "-s": "script"}
_VALUED = {"-b": "bufsize", "-D": "define", "-I": "incdir", "-L": "libdir", "-U": "undef", "-X": "stdc"}
_SWITCHES = {"-F": "flowindent", "-H": "cpphdrs", "-q": "quiet", "-w": "destructive",
             "-C": "cpp", "-S": "verbose", "-Z": "zdefs"}


class Usage(Exception):
    """The command line makes no sense; the message is one line without the program's name."""


class Request(NamedTuple):
    """A program to compile: `kind` is script, or what -P, -m, -f, -n or -i names."""

    kind: str
    text: str

    @property
    def name(self) -> str:
        """How messages call it: a description is cropped where its actions begin."""
        if self.kind == "script":
            return self.text
        return self.text[:min((at for at in map(self.text.find, "{/;") if at >= 0), default=len(self.text))]

    @property
    def what(self) -> str:
        return "script" if self.kind == "script" else "description"


class Arguments(Record):
    """Everything the command line says.  `options` are (name, value, spelling) in order."""

    mode: Mode = Mode.TRACE
    words: list[str] = field(default_factory=list)  # the command line itself
    requests: list[Request] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    options: list[tuple[str, str | None, str]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)  # -c
    processes: list[str] = field(default_factory=list)  # -p
    output: str | None = None
    bits: int | None = None
    execute: bool = True  # no -e
    verbose: bool = False
    buffered: bool = False  # -B
    flame: str | None = None
    folded: str | None = None
    heatmap: str | None = None
    live: bool = False
    progress: bool = False


def parse(argv: list[str]) -> Arguments:
    """Take `argv` (without the program's name) apart.  Raises Usage."""
    try:
        pairs, operands = getoptions.gnu_getopt(argv, LETTERS, LONG)
    except getoptions.GetoptError as error:
        what = "option requires an argument" if "requires" in error.msg else "illegal option"
        raise Usage(f"{what} -- {error.opt}") from None
    arguments = Arguments(words=argv, operands=operands)
    for letter, value in pairs:
        _take(arguments, letter, value)
    return arguments


def _take(arguments: Arguments, letter: str, value: str) -> None:
    if letter in _MODES:
        if arguments.mode not in (Mode.TRACE, _MODES[letter]):
            raise Usage("give one of -A, -G, -h, -l and -V: they exclude one another")
        arguments.mode = _MODES[letter]
    elif letter in _SPECIFIERS:
        arguments.requests.append(Request(_SPECIFIERS[letter], value))
    elif letter in _VALUED:
        arguments.options.append((_VALUED[letter], value, f"{letter} {value}"))
    elif letter == "-a":
        arguments.options.append(("grabanon", "1", letter))
    elif letter in _SWITCHES:
        arguments.options.append((_SWITCHES[letter], None, letter))
    elif letter == "-x":
        name, equals, text = value.partition("=")
        arguments.options.append((name, text if equals else None, f"-x {name}"))
    elif letter in ("-3", "-6"):
        if letter + value not in ("-32", "-64"):
            raise Usage(f"illegal option -- {letter[1:]}{value}")
        arguments.bits = int(letter[1:] + value)
    elif letter == "--json":
        arguments.options.append(("oformat", "json", letter))
    elif letter == "--image":
        arguments.options.append(("image", value, letter))
    else:
        _PLAIN[letter](arguments, value)


def _setting(name: str, constant: bool | None = None) -> Callable[[Arguments, str], None]:
    """What sets a field to the option's value, or to a constant."""
    def put(arguments: Arguments, value: str) -> None:
        setattr(arguments, name, value if constant is None else constant)

    return put


_PLAIN: dict[str, Callable[[Arguments, str], None]] = {
    "-c": lambda arguments, value: arguments.commands.append(value),
    "-p": lambda arguments, value: arguments.processes.append(value),
    "-o": _setting("output"),
    "-e": _setting("execute", False),
    "-v": _setting("verbose", True),
    "-B": _setting("buffered", True),
    "--flame": _setting("flame"),
    "--folded": _setting("folded"),
    "--heatmap": _setting("heatmap"),
    "--live": _setting("live", True),
    "--progress": _setting("progress", True),
}

USAGE = """\
Usage: dtrace [OPTION ...] [ARGUMENT ...]

  Each program is a script (-s) or a probe description with, maybe, a condition
  and actions; every ARGUMENT is one of its macros $1, $2, ...  For example:
        dtrace -n 'syscall::read:entry /arg2 > $1/ { @[execname] = count(); }' 512

  what to do (tracing, if none of these)
        -A  write anonymous enablings        -l  list probes
        -G  link USDT probes into objects    -V  show the version
        -h  write a header for USDT probes   -e  compile only
  programs and probes
        -s  D script           -P  provider       -m  module
        -n  probe name         -f  function       -i  probe id
        -c  run a command in the emulated machine and trace until it ends
        -p  trace a process of the emulated machine
  compiling
        -C  preprocess         -D, -U  define, undefine       -I  include path
        -H  show included files  -L  D library path    -X  ISO C conformance
        -S  show DIF           -Z  accept descriptions that match nothing
        -32, -64  data model
  tracing
        -a  claim anonymous state     -b  buffer size     -B  report buffers
        -w  allow destructive actions -x  any option
  output
        -F  indent function flow      -q  only what programs print
        -o  append to a file          -v  stability and argument types
        --json           one object a line (as -x oformat=json)
        --flame FILE     flame graph (SVG) of aggregations keyed by stacks
        --folded FILE    the same stacks as folded text
        --heatmap FILE   quantize() over time: an SVG, or - for the terminal
        --live           show aggregations while they change
        --progress       show virtual time, firings and drops
  the emulated machine
        --image FILE     what it has and what runs on it, in TOML (as -x image=FILE)
        -x spawn=COMMAND starts a program before tracing begins; its process id is 101
        -x ncpus=N       processors              -x seed=N         another interleaving
        -x clock=real    time as the host's      -x target=freebsd its numbering
        -x strictalign   aligned loads only      -x engine=interpret  DIF, step by step
        -x anon=FILE     what -A wrote, for -a
        -x evaltime=exec|preinit|postinit|main  where a command stands while probes are matched
        -x tracepoints   -l, and -v at the end, show the places of probes in programs
"""
