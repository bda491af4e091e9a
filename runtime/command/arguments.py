"""The command line of dtrace(1), taken apart.

Options and operands may be mixed, as with other DTraces; operands become $1, $2, ...
"""

from __future__ import annotations

from dc import versions
from dc.options import OptionError, Options, more
from dc.script import PROGRAMS, Request
from dif.records import Record, field
from dof.commandline import HELP, HELP_ALL, Command, Failure, Section, Switch, Usage, model_bits, option
from dof.commandline import parse as parse_switches
from dof.options import TABLE


class Mode:
    """What the command is to do: each is the switch that asks for it."""

    TRACE = ""
    VERSION = "-V"
    ANONYMOUS = "-A"
    LINK = "-G"
    LIST = "-l"
    HEADER = "-h"


_MODES = Section("what to do (tracing, if none of these)", (
    Switch("-A", "write anonymous enablings"),
    Switch("-G", "link USDT probes into objects"),
    Switch("-h", "write a header for USDT probes"),
    Switch("-l", "list probes; those of ELF files, if all operands are such"),
    Switch("-V", "show the version"),
    Switch("-e", "compile only"),
    Switch("--explain", "what the manual says of a function, an option, an error's tag ...", "WORD"),
    HELP, HELP_ALL))
_COMPILING = ("cpp", "define", "undef", "incdir", "cpphdrs", "libdir", "stdc", "verbose", "zdefs")
_TRACING = ("grabanon", "bufsize", "destructive")
_OUTPUT = ("flowindent", "quiet")
_OPTIONS = {f"-{TABLE[name].letter}": name for name in (*_COMPILING, *_TRACING, *_OUTPUT)}

COMMAND = Command(
    "dtrace", "[OPTION ...] [ARGUMENT ...]",
    """\
  Each program is a script (-s) or a probe description with, maybe, a condition
  and actions; every ARGUMENT is one of its macros $1, $2, ...  For example:
        dtrace -n 'syscall::read:entry /arg2 > $1/ { @[execname] = count(); }' 512""",
    f"Sun D {versions.spell(versions.LATEST)}",
    (_MODES,
     Section(PROGRAMS.heading, (
         *PROGRAMS.switches,
         Switch("-c", "run a command in the emulated machine and trace until it ends", "COMMAND"),
         Switch("-p", "trace a process of the emulated machine", "PID"))),
     Section("compiling", (
         *map(option, _COMPILING),
         Switch("-3", "data model ILP32", "2"),
         Switch("-6", "data model LP64", "4"))),
     Section("tracing", (
         *map(option, _TRACING),
         Switch("-B", "report buffers"),
         Switch("-x", "set an option", "OPTION[=VALUE]"))),
     Section("output", (
         *map(option, _OUTPUT),
         Switch("-o", "append to a file", "FILE"),
         Switch("-v", "show stability and argument types"),
         Switch("--json", "one object a line (as -x oformat=json)"),
         Switch("--flame", "flame graph (SVG) of aggregations keyed by stacks", "FILE"),
         Switch("--folded", "the same stacks as folded text", "FILE"),
         Switch("--heatmap", "quantize() over time: an SVG, or - for the terminal", "FILE"),
         Switch("--timeline", "which threads were on which CPUs, and what fired when (SVG)", "FILE"),
         Switch("--report", "all of it in one page: output, tables, stacks, timeline, drops", "FILE"),
         Switch("--live", "show aggregations while they change"),
         Switch("--progress", "show virtual time, firings and drops"))),
     Section("the emulated machine", (
         Switch("--image", "what it has and what runs on it, in TOML (as -x image=FILE)", "FILE"),
         Switch("--replay", "the machine, files and commands that -x record=FILE has kept", "FILE"))),
     Section("many machines, traced as one", (
         Switch("--cluster", "which they are, in TOML; descriptions may begin with one's path", "FILE"),
         Switch("--instances", "list them")))),
    "More: dtrace --help-all, dtrace --explain options, dtrace --explain WORD,",
    frozenset(("-A", "-V", "-P", "-m", "-f", "-i", "-U", "-H", "-X", "-S", "-3", "-6", "-a", "-b", "-B",
               "--folded", "--live", "--progress", "--replay", "--instances", "-L", "-Z")))


class Arguments(Record):
    """Everything the command line says.  `options` are (name, value, spelling) in order."""

    mode: str = Mode.TRACE
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
    timeline: str | None = None
    report: str | None = None
    live: bool = False
    progress: bool = False
    explain: str | None = None
    cluster: str | None = None
    instances: bool = False
    replay: str | None = None

    @property
    def draws(self) -> bool:
        """Whether anything surrounds the report."""
        return bool(self.flame or self.folded or self.heatmap or self.timeline or self.report or self.live
                    or self.progress)

    def checked_options(self) -> Options:
        """The options as the table has them.  Raises Failure for one that it refuses."""
        options = Options()
        for name, value, spelling in self.options:
            try:
                options.set(name, value)
            except OptionError as error:
                raise Failure(f"failed to set {spelling}: {error}; {more(name)}") from None
        return options


def parse(argv: list[str]) -> Arguments:
    """Take `argv` (without the program's name) apart.  Raises Usage; Done for --help."""
    pairs, operands = parse_switches(COMMAND, argv)
    arguments = Arguments(words=argv, operands=operands)
    for name, value in pairs:
        _take(arguments, name, value)
    return arguments


def _take(arguments: Arguments, name: str, value: str) -> None:
    """One switch.  Raises Usage."""
    request = Request.of(name, value)
    if request is not None:
        arguments.requests.append(request)
    elif name in _FIELDS:
        attribute, constant = _FIELDS[name]
        setattr(arguments, attribute, value if constant is None else constant)
    elif name in _LISTS:
        getattr(arguments, _LISTS[name]).append(value)
    elif name in ("-3", "-6"):
        arguments.bits = model_bits(name, value)
    elif name in (Mode.VERSION, Mode.ANONYMOUS, Mode.LINK, Mode.LIST, Mode.HEADER):
        if arguments.mode not in (Mode.TRACE, name):
            raise Usage("give one of -A, -G, -h, -l and -V: they exclude one another")
        arguments.mode = name
    else:
        arguments.options.append(_option(name, value))


def _option(switch: str, value: str) -> tuple[str, str | None, str]:
    """The option that a switch sets: name, value, and how a message calls it."""
    if switch == "-x":
        name, equals, text = value.partition("=")
        return name, text if equals else None, f"-x {name}"
    if switch == "--json":
        return "oformat", "json", switch
    if switch == "--image":
        return "image", value, switch
    if switch == "-a":
        return "grabanon", "1", switch
    return _OPTIONS[switch], value or None, f"{switch} {value}".rstrip()


_LISTS = {"-c": "commands", "-p": "processes"}
# The field that a switch sets: to the switch's argument, or to a constant.
_FIELDS: dict[str, tuple[str, bool | None]] = {
    "-o": ("output", None), "-e": ("execute", False), "-v": ("verbose", True), "-B": ("buffered", True),
    "--flame": ("flame", None), "--folded": ("folded", None), "--heatmap": ("heatmap", None),
    "--timeline": ("timeline", None), "--report": ("report", None),
    "--live": ("live", True), "--cluster": ("cluster", None), "--explain": ("explain", None),
    "--instances": ("instances", True), "--progress": ("progress", True), "--replay": ("replay", None)}
