"""Every option of DTrace, one row each: for -x, pragmas, setopt(), DOF, the kernel and the machine.

Each reader takes what it needs from the row: the compiler and the commands the form of the value and the
help, DOF and the kernel the number, the default and the bounds, the emulated machine its own options.  To
add an option, add a row here; what the option does stands with its reader.  The values that have been set
are dc.options'.

Names, forms and defaults are those of the manual's chapter on options and tunables; numbers are
DTRACEOPT_* of <sys/dtrace.h>; sizes are bytes, and rates nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dif.limits import (
    AGGREGATED,
    DEBUG_DEPTH,
    DEBUG_INFORMATION,
    EXPANDED,
    INCLUDE_DEPTH,
    INCLUDED,
    INCLUDES,
    MACHINE_DISK,
    MACHINE_FILES,
    MACHINE_MEMORY,
    MACHINE_OUTPUT,
    MACHINE_TASKS,
    MAX_CPUS,
    NREGS,
    NTUPLE,
    PLAIN_NAME,
    SECOND,
    SYMBOLS,
)
from dif.records import NamedTuple

# The constants below are plain integers and strings: every command reads this table at its start, and
# Enums of so many members take long to define.

class OptionId:
    """DTRACEOPT_*: the numbers under which DOF and the kernel know run-time options."""

    BUFSIZE = 0
    BUFPOLICY = 1
    DYNVARSIZE = 2
    AGGSIZE = 3
    SPECSIZE = 4
    NSPEC = 5
    STRSIZE = 6
    CLEANRATE = 7
    CPU = 8
    BUFRESIZE = 9
    GRABANON = 10
    FLOWINDENT = 11
    QUIET = 12
    STACKFRAMES = 13
    USTACKFRAMES = 14
    AGGRATE = 15
    SWITCHRATE = 16
    STATUSRATE = 17
    DESTRUCTIVE = 18
    STACKINDENT = 19
    RAWBYTES = 20
    JSTACKFRAMES = 21
    JSTACKSTRSIZE = 22
    AGGSORTKEY = 23
    AGGSORTREV = 24
    AGGSORTPOS = 25
    AGGSORTKEYPOS = 26
    TEMPORAL = 27
    AGGHIST = 28
    AGGPACK = 29
    AGGZOOM = 30
    ZONE = 31  # without a row: -x zone says where dtrace itself runs


OPTION_NAMES: dict[int, str] = {
    number: name.lower() for name, number in vars(OptionId).items() if name.isupper()}

OPTION_MAX = 32  # DTRACEOPT_MAX
UNSET = -2  # DTRACEOPT_UNSET: an option that was never set, or was switched off
VALUE_MAX = (1 << 63) - 1
CPU_ALL = 0xFFFFFFFF  # DTRACE_CPUALL
STRSIZE_DEFAULT = 256  # dtrace_strsize_default


class Policy:
    """DTRACEOPT_BUFPOLICY_*."""

    RING = 0
    FILL = 1
    SWITCH = 2


class Resize:
    """DTRACEOPT_BUFRESIZE_*."""

    AUTO = 0
    MANUAL = 1


class Kind:
    """How an option's value is written."""

    FLAG = "takes no value"
    NUMBER = "a number, or on, off, enabled, ..."
    SIZE = "bytes, with k, m, g or t"
    RATE = "a time with a unit, or hz"
    CHOICE = "one of a few words"
    COUNT = "a positive number"
    TEXT = "any text"
    STABILITY = "as Evolving/Evolving/Common"
    VERSION = "as 1.13 or 1.2.1"


_PLACEHOLDERS = {Kind.NUMBER: "N", Kind.COUNT: "N", Kind.SIZE: "SIZE", Kind.RATE: "RATE", Kind.TEXT: "TEXT",
                 Kind.STABILITY: "STABILITY", Kind.VERSION: "VERSION"}


class Phase:
    """When an option has its effect, and whether it may change while tracing runs."""

    COMPILE = 1
    RUNTIME = 2
    DYNAMIC = 3
    BOOT = 4  # when the emulated machine is made


class Reader:
    """What part of the suite acts upon an option."""

    NOTHING = "taken for scripts that set it, without effect"
    COMPILER = "the compiler"
    COMMAND = "the commands"
    KERNEL = "the kernel"
    CONSUMER = "the consumer"
    MACHINE = "the emulated machine"


class Option(NamedTuple):
    """One row.

    `choices` maps the words of a CHOICE to values.  `default` holds where nothing sets the option, UNSET
    where there is no single such value; `in_kernel` is what a kernel itself starts with.  Values are
    from `least` to `most`.  `outside` bars the option from programs (`#pragma D option`): the command line
    alone grants what is the host's, its files above all, and says what the output is.  `origin` names the
    DTrace that has the option, where not all have it; `letter` is the command line's own for it.
    """

    name: str
    phase: int  # of Phase
    kind: str  # of Kind
    reader: str  # of Reader
    help: str
    id: int | None = None
    choices: Mapping[str, int] = {}
    default: int = UNSET
    in_kernel: int = UNSET
    least: int = 0
    most: int = VALUE_MAX
    outside: bool = False
    origin: str = ""
    letter: str = ""
    value: str = ""

    @property
    def spelling(self) -> str:
        """How usage shows it: `bufsize=SIZE`."""
        if self.kind == Kind.FLAG:
            return self.name
        if self.kind == Kind.CHOICE:
            return f"{self.name}={'|'.join(filter(None, self.choices))}"
        placeholder = self.value or _PLACEHOLDERS[self.kind]
        return f"{self.name}[={placeholder}]" if self.kind == Kind.NUMBER and self.most == VALUE_MAX \
            else f"{self.name}={placeholder}"


_OURS, _FREEBSD = "this suite", "FreeBSD"


def _words(*names: str) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _row(*columns: object) -> Option:
    """All columns of a row.  (To call Option would compile its constructor, in every command's start.)"""
    return Option._make(columns)


def _compile(name: str, reader: str, help_: str, kind: str = Kind.FLAG, *choices: str,
             default: int = UNSET, least: int = 0, outside: bool = False, origin: str = "", letter: str = "",
             value: str = "") -> Option:
    return _row(name, Phase.COMPILE, kind, reader, help_, None, _words(*choices), default, UNSET, least,
                VALUE_MAX, outside, origin, letter, value)


def _runtime(number: int, reader: str, help_: str, kind: str = Kind.NUMBER,
             choices: Mapping[str, int] | None = None, phase: int = Phase.RUNTIME, *, default: int = UNSET,
             in_kernel: int = UNSET, least: int = 0, most: int = VALUE_MAX, letter: str = "") -> Option:
    return _row(OPTION_NAMES[number], phase, kind, reader, help_, number, choices or {},
                default if in_kernel == UNSET else in_kernel, in_kernel, least, most, False, "", letter, "")


def _dynamic(number: int, help_: str, kind: str = Kind.NUMBER, *, default: int = UNSET,
             in_kernel: int = UNSET, letter: str = "") -> Option:
    return _runtime(number, Reader.CONSUMER, help_, kind, phase=Phase.DYNAMIC, default=default,
                    in_kernel=in_kernel, letter=letter)


def _machine(name: str, help_: str, kind: str, *choices: str, default: int = UNSET, least: int = 0,
             most: int = VALUE_MAX, value: str = "") -> Option:
    return _row(name, Phase.BOOT, kind, Reader.MACHINE, help_, None, _words(*choices), default, UNSET,
                least, most, True, _OURS, "", value)


def _compiling() -> list[Option]:
    compiler, command, nothing = Reader.COMPILER, Reader.COMMAND, Reader.NOTHING
    return [
        _compile("aggmemory", Reader.CONSUMER, "memory for aggregations that are kept; more keys are dropped",
                 Kind.SIZE, default=AGGREGATED, outside=True, origin=_OURS),
        _compile("aggpercpu", nothing, "aggregations of each CPU, for users of libdtrace"),
        _compile("amin", compiler, "refuse what is less stable", Kind.STABILITY),
        _compile("arch", compiler, "whose numbers R_SP, R_PC and their like are: of all processors of the "
                 "machine, or AArch64's of the target", Kind.CHOICE, "any", "aarch64", default=0,
                 outside=True, origin=_OURS),
        _compile("argref", compiler, "accept arguments that no $1, $2, ... uses"),
        _compile("childstatus", command, "end with the status of the command (-c), unless exit() gives one",
                 origin=_OURS),
        _compile("cpp", compiler, "preprocess first", letter="C"),
        _compile("cpphdrs", compiler, "show the files that are included", outside=True, letter="H"),
        _compile("cpppath", compiler, "the preprocessor to run", Kind.TEXT, outside=True, value="FILE"),
        _compile("debug", command, "tell on standard error what goes on"),
        _compile("define", compiler, "define a macro", Kind.TEXT, outside=True, letter="D",
                 value="NAME[=TEXT]"),
        _compile("defaultargs", compiler, 'missing $1, $2, ... are 0 or ""'),
        _compile("device", command, "trace the operating system itself, through this device of it", Kind.TEXT,
                 outside=True, value="PATH"),
        _compile("droptags", Reader.CONSUMER, "name the kind of each drop"),
        _compile("empty", compiler, "accept a program without clauses"),
        _compile("encoding", Reader.CONSUMER, "characters that bars of distributions are drawn with",
                 Kind.CHOICE, "ascii", "utf8"),
        _compile("errors", Reader.CONSUMER, "report the first of a clause's errors of a kind and count the "
                 "others, or report all", Kind.CHOICE, "first", "all", default=0, origin=_OURS),
        _compile("errtags", command, "show the tag of each error"),
        _compile("evaltime", command, "where a command stands while probes are matched", Kind.CHOICE,
                 "exec", "preinit", "postinit", "main"),
        _compile("header", command, "what -h writes: calls for -G, or notes as SystemTap's dtrace does; "
                 "types: notes, and names for types of arguments; sys: <sys/sdt.h>", Kind.CHOICE,
                 "dtrace", "sdt", "types", "sys",
                 default=0, outside=True, origin=_OURS),
        _compile("exclude", command, "what is not to be recorded, and is not there for the run: files by a "
                 "glob with a slash, or variables of the environment", Kind.TEXT, outside=True, origin=_OURS,
                 value="GLOB"),
        _compile("expect-probes", command, "status 1 unless clauses of every description have recorded "
                 "something", origin=_OURS),
        _compile("incdir", compiler, "a directory of included files", Kind.TEXT, outside=True, letter="I",
                 value="DIRECTORY"),
        _compile("includedepth", compiler, "how deep files may include one another", Kind.COUNT,
                 default=INCLUDE_DEPTH, least=1, outside=True, origin=_OURS),
        _compile("includes", compiler, "files that a program may include", Kind.COUNT, default=INCLUDES,
                 outside=True, origin=_OURS),
        _compile("includesize", compiler, "bytes of all files that a program includes", Kind.SIZE,
                 default=INCLUDED, outside=True, origin=_OURS),
        _compile("iregs", compiler, "how many registers DIF may use", Kind.COUNT, default=NREGS, least=1),
        _compile("kdefs", compiler, "symbols of the kernel must be there when compiling"),
        _compile("knodefs", compiler, "symbols of the kernel may be missing"),
        _compile("late", nothing, "when xlate is translated", Kind.CHOICE, "static"),
        _compile("lazyload", nothing, "what -G makes always registers itself"),
        _compile("ldpath", nothing, "the linker for -G, which needs none", Kind.TEXT, outside=True,
                 value="FILE"),
        _compile("libdir", compiler, "a directory of D libraries", Kind.TEXT, outside=True, letter="L",
                 value="DIRECTORY"),
        _compile("linkmode", compiler, "when external symbols are resolved", Kind.CHOICE,
                 "kernel", "primary", "dynamic", "static", default=0),
        _compile("linktype", command, "what -G writes", Kind.CHOICE, "elf", "dof", default=0),
        _compile("lossless", Reader.CONSUMER, "read buffers before they are full, so that nothing is lost; "
                 "no as soon as a size, a rate or a policy is given", Kind.CHOICE, "no", "yes", default=1,
                 origin=_OURS),
        _compile("macrosize", compiler, "memory for all that the macros of a program expand to", Kind.SIZE,
                 default=EXPANDED, outside=True, origin=_OURS),
        _compile("nolibs", compiler, "read no D libraries"),
        _compile("oformat", command, "form of the output, and of diagnostics", Kind.CHOICE, "text", "json",
                 default=0, outside=True, origin=_FREEBSD),
        _compile("objcopypath", nothing, "the objcopy for -G, which needs none", Kind.TEXT, outside=True,
                 origin=_FREEBSD, value="FILE"),
        _compile("opt", compiler, "0 leaves DIF as it was first written", Kind.NUMBER, default=1,
                 origin=_OURS),
        _compile("order", command, "of output of several instances: by the host's time, or as it arrives",
                 Kind.CHOICE, "time", "arrival", default=0, origin=_OURS),
        _compile("pgmax", nothing, "how many processes are held at a time", Kind.COUNT),
        _compile("pspec", compiler, "read probe descriptions as the command line does"),
        _compile("record", command, "keep all that the run takes of the host, for --replay", Kind.TEXT,
                 outside=True, origin=_OURS, value="FILE"),
        _compile("setenv", command, "set NAME=VALUE for commands (-c)", Kind.TEXT, outside=True,
                 value="NAME=VALUE"),
        _compile("stapsdt", command, "whether -G writes notes for bpftrace, gdb and perf", Kind.CHOICE,
                 "no", "yes", "semaphores", outside=True, origin=_OURS),
        _compile("stdc", compiler, "what __STDC__ says; s: macros as before standard C", Kind.CHOICE,
                 "a", "c", "s", "t", default=0, outside=True, letter="X"),
        _compile("strict", command, "status 1 if ERROR fired, records were dropped, or a description matched "
                 "nothing", origin=_OURS),
        _compile("strip", compiler, "leave the program's text out of DOF"),
        _compile("syslibdir", compiler, "the directory of the system's D libraries", Kind.TEXT, outside=True,
                 value="DIRECTORY"),
        _compile("target", command, "the system that DOF is for", Kind.CHOICE, "illumos", "freebsd", "linux",
                 outside=True, origin=_OURS),
        _compile("tracepoints", command, "-l, and -v at the end, show the places of probes in programs",
                 outside=True, origin=_OURS),
        _compile("tree", compiler, "show syntax trees: a sum of 1 (first), 2 (checked), ...", Kind.COUNT,
                 least=1),
        _compile("tregs", compiler, "how many tuple registers DIF may use", Kind.COUNT, default=NTUPLE,
                 least=1),
        _compile("udefs", compiler, "symbols of programs must be there when compiling"),
        _compile("undef", compiler, "undefine a macro", Kind.TEXT, outside=True, letter="U", value="NAME"),
        _compile("unodefs", compiler, "symbols of programs may be missing"),
        _compile("unsetenv", command, "a variable that commands (-c) do not get", Kind.TEXT, outside=True,
                 value="NAME"),
        _compile("verbose", command, "list the DIF", letter="S"),
        _compile("version", compiler, "forget what is newer than this version of D", Kind.VERSION),
        _compile("zdefs", compiler, "accept descriptions that match nothing", letter="Z"),
    ]


def _tracing() -> list[Option]:
    kernel, consumer, option = Reader.KERNEL, Reader.CONSUMER, OptionId
    return [
        _runtime(option.AGGSIZE, kernel, "size of an aggregation buffer", Kind.SIZE, default=4 << 20),
        _runtime(option.BUFSIZE, kernel, "size of a principal buffer", Kind.SIZE, default=4 << 20,
                 letter="b"),
        _runtime(option.BUFPOLICY, kernel, "what happens when a principal buffer is full", Kind.CHOICE,
                 _words("ring", "fill", "switch"), in_kernel=Policy.SWITCH),
        _runtime(option.BUFRESIZE, kernel, "whether buffers that do not fit get smaller", Kind.CHOICE,
                 _words("auto", "manual"), in_kernel=Resize.AUTO),
        _runtime(option.CLEANRATE, kernel, "how often speculations and dynamic variables are cleaned",
                 Kind.RATE, in_kernel=9_900_990, least=SECOND // 5000, most=60 * SECOND),  # 101 Hz
        _runtime(option.CPU, kernel, "the CPU to trace on", in_kernel=CPU_ALL),
        _runtime(option.DESTRUCTIVE, kernel, "allow destructive actions; -w also lets freopen() write files",
                 letter="w"),
        _runtime(option.DYNVARSIZE, kernel, "size of the space of dynamic variables", Kind.SIZE,
                 default=1 << 20, most=1 << 30),
        _runtime(option.GRABANON, kernel, "claim anonymous state", letter="a"),
        _runtime(option.JSTACKFRAMES, kernel, "frames of jstack()", in_kernel=50),
        _runtime(option.JSTACKSTRSIZE, kernel, "size of the strings of jstack()", Kind.SIZE, in_kernel=512),
        _runtime(option.NSPEC, kernel, "number of speculations", in_kernel=1, most=0x7FFFFFFF),
        _runtime(option.SPECSIZE, kernel, "size of a speculation buffer", Kind.SIZE, in_kernel=32 << 10),
        _runtime(option.STACKFRAMES, kernel, "frames of stack()", in_kernel=20),
        _runtime(option.STATUSRATE, consumer, "how often the kernel's state is looked at", Kind.RATE,
                 in_kernel=SECOND, most=10 * SECOND),
        _runtime(option.STRSIZE, kernel, "size of a string", Kind.SIZE, in_kernel=STRSIZE_DEFAULT,
                 most=1 << 24),
        _runtime(option.TEMPORAL, consumer, "show what all CPUs recorded in the order of time"),
        _runtime(option.USTACKFRAMES, kernel, "frames of ustack()", in_kernel=20),
        _dynamic(option.AGGHIST, "show aggregations as a histogram"),
        _dynamic(option.AGGPACK, "show distributions in a line each"),
        _dynamic(option.AGGRATE, "how often aggregations are read", Kind.RATE, in_kernel=SECOND),
        _dynamic(option.AGGSORTKEY, "sort aggregations by key"),
        _dynamic(option.AGGSORTKEYPOS, "which key to sort by, from 0", default=0),
        _dynamic(option.AGGSORTPOS, "which aggregation to sort by, from 0", default=0),
        _dynamic(option.AGGSORTREV, "sort aggregations backwards"),
        _dynamic(option.AGGZOOM, "let the longest bar fill its column"),
        _dynamic(option.FLOWINDENT, "indent function flow", letter="F"),
        _dynamic(option.QUIET, "show only what programs print", letter="q"),
        _dynamic(option.RAWBYTES, "show all bytes in hexadecimal"),
        _dynamic(option.STACKINDENT, "columns before a stack frame", default=14),
        _dynamic(option.SWITCHRATE, "how often principal buffers are read", Kind.RATE, in_kernel=SECOND),
    ]


def _booting() -> list[Option]:
    return [
        _machine("anon", "what -A wrote, for -a", Kind.TEXT, value="FILE"),
        _machine("clock", "time passes with the work done, or as the host's", Kind.CHOICE, "virtual", "real",
                 default=0),
        _machine("copyin", "what probes get of a program's page that is not in memory: a fault, or the page",
                 Kind.CHOICE, "fault", "touch", default=0),
        _machine("engine", "how DIF is executed", Kind.CHOICE, "translate", "interpret", default=0),
        _machine("cputime", "how long programs may be on processors, in all; then tracing ends", Kind.RATE,
                 default=0),
        _machine("debugdepth", "namespaces and classes within one another whose types are known", Kind.COUNT,
                 default=DEBUG_DEPTH, least=1, most=200),
        _machine("debuginfo", "debug information that is read of a file; of more the types are unknown",
                 Kind.SIZE, default=DEBUG_INFORMATION, least=1 << 20, most=8 << 30),
        _machine("demangled", "length of a name in C++ or Rust; longer ones stay mangled", Kind.SIZE,
                 default=PLAIN_NAME, least=64, most=1 << 20),
        _machine("disk", "what programs may write to files; then ENOSPC", Kind.SIZE, default=MACHINE_DISK,
                 most=1 << 40),
        _machine("env", "the environment of programs: the host's, or a small one that is always the same",
                 Kind.CHOICE, "host", "clean", default=0),
        _machine("file", "a file or directory of the host that programs see with another root, too",
                 Kind.TEXT, value="PATH"),
        _machine("image", "what the machine has and what runs on it, in TOML", Kind.TEXT, value="FILE"),
        _machine("memory", "its memory; then ENOMEM, and the largest process is killed", Kind.SIZE,
                 default=MACHINE_MEMORY, least=16 << 20, most=64 << 30),
        _machine("ncpus", "how many processors it has", Kind.COUNT, default=1, least=1, most=MAX_CPUS),
        _machine("processor", "what x86 programs may use of it: with v3 AVX2, FMA and BMI, too", Kind.CHOICE,
                 "x86-64-v2", "x86-64-v3", default=0),
        _machine("privileges", "what dtrace may do beside the basic things", Kind.TEXT, value="NAME,..."),
        _machine("openfiles", "files open at a time; then ENFILE", Kind.COUNT, default=MACHINE_FILES,
                 least=64, most=1 << 20),
        _machine("output", "what programs and scripts may write to the host; then tracing ends", Kind.SIZE,
                 default=MACHINE_OUTPUT, most=1 << 50),
        _machine("processes", "processes and threads at a time; then EAGAIN", Kind.COUNT,
                 default=MACHINE_TASKS, least=4, most=1 << 16),
        _machine("root", "the host's directory that is the machine's root, or none", Kind.TEXT, default=UNSET,
                 value="DIRECTORY|none"),
        _machine("seed", "another interleaving of threads; on several CPUs they race as they may", Kind.COUNT,
                 default=0, most=1 << 62),
        _machine("spawn", "a command that is started before tracing begins; its process is 101", Kind.TEXT,
                 value="COMMAND"),
        _machine("strictalign", "the processor loads from aligned addresses only", Kind.CHOICE, "no", "yes",
                 "", default=0),
        _machine("symbols", "symbols of a file; those of a file with more are unknown", Kind.COUNT,
                 default=SYMBOLS, least=1, most=1 << 28),
        _machine("timeout", "how long the command may take by the host's clock; then tracing ends", Kind.RATE,
                 default=0),
        _machine("user", "whose process dtrace is: of the image, or a number", Kind.TEXT, value="NAME"),
        _machine("zone", "in which zone of the image dtrace runs", Kind.TEXT, value="NAME"),
    ]


TABLE: dict[str, Option] = {row.name: row for row in (*_compiling(), *_tracing(), *_booting())}
BY_ID: dict[int, Option] = {int(row.id): row for row in TABLE.values() if row.id is not None}


def kernel_defaults() -> list[int]:
    """A field list of the values that a kernel starts with, by number; UNSET where it has none."""
    return [int(BY_ID[number].in_kernel) if number in BY_ID else UNSET for number in range(OPTION_MAX)]


def within(number: int, value: int) -> int:
    """A value moved to the bounds of its option."""
    row = BY_ID[number]
    return min(max(value, row.least), row.most)


def described(*phases: int) -> Iterator[tuple[str, str]]:
    """For usage: the spelling of each option of these phases, and what it is for."""
    for row in TABLE.values():
        if row.phase in phases:
            notes = [f"-{row.letter}"] if row.letter else []
            notes += [f"default {default}"] if (default := spelt_default(row)) else []
            notes += [f"of {row.origin}"] if row.origin and row.origin != _OURS else []
            notes += ["no effect"] if row.reader == Reader.NOTHING else []
            notes += ["command line only"] if row.outside and row.phase != Phase.BOOT else []
            yield row.spelling, row.help + (f" ({', '.join(notes)})" if notes else "")


def spelt_default(row: Option) -> str:
    """The default as it would be written; "" if there is none worth a word."""
    if row.default == UNSET or row.id == OptionId.CPU or (row.kind == Kind.RATE and not row.default):
        return ""
    if row.kind == Kind.CHOICE:
        return next(word for word, value in row.choices.items() if value == row.default)
    if row.kind == Kind.RATE:
        return f"{round(SECOND / row.default)}hz"
    if row.kind == Kind.SIZE and row.default:
        shift = next(shift for shift in (20, 10, 0) if not row.default & (1 << shift) - 1)
        return f"{row.default >> shift}{ {20: 'm', 10: 'k', 0: ''}[shift]}"
    return str(row.default)
