"""What all commands of the suite share: the command line, its usage, files in and out, and the end.

    COMMAND = Command("difas", "[OPTION ...] FILE", "Assemble DIF.", VERSION, (Section("", (Switch(...),)),))

    def main(argv=None):
        return run(COMMAND, _work, argv)

It lies in this package because the lowest commands do, difas and difdis; dc and dtrace are above.

Command lines are in the manner of getopt_long(3): options may follow operands, and `--` ends them.  The
standard library's getopt and argparse would do, but they import gettext and re, which takes longer than the
rest of a short command's work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from dif.hostfiles import LARGEST_FILE, bounded
from dif.records import NamedTuple
from dof.options import TABLE, Kind

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import TextIO

Row = tuple[str, str]  # for usage: what is written, and what it is for
_COLUMN = 24  # where usage explains, unless what is written is wider


class Usage(Exception):
    """The command line makes no sense; the message is one line without the program's name.  Status 2."""


class Failure(Exception):
    """Why the command ends with status 1: one line without the program's name.

    A `report` has lines of its own, and names the program itself.
    """

    def __init__(self, message: str, *, report: bool = False) -> None:
        super().__init__(message)
        self.report = report


class Done(Exception):
    """The command has nothing to do but to print the message.  Status 0."""


class Switch(NamedTuple):
    """One option of a command line: `-o` or `--output`, both if there is an `other` spelling.

    `value` is how usage calls its argument, "" if it takes none.
    """

    name: str
    help: str
    value: str = ""
    other: str = ""

    def row(self) -> Row:
        """Return how usage writes the switch, and what it is for."""
        names = f"{self.name}, {self.other}" if self.other else self.name
        glue = "" if self.name[1:].isdigit() else " "  # -32 is letter and value
        return f"{names}{glue if self.value else ''}{self.value}", self.help


def option(name: str) -> Switch:
    """The switch that sets an option of dof.options by its letter."""
    row = TABLE[name]
    value = "" if row.kind in (Kind.FLAG, Kind.NUMBER) else row.spelling.partition("=")[2]
    return Switch(f"-{row.letter}", row.help, value)


class Section(NamedTuple):
    """Switches that belong together, under a heading for usage."""

    heading: str
    switches: tuple[Switch, ...]


class Command(NamedTuple):
    """A command.  `more` is what --help ends with: where there is more to read.

    `rare` are switches that --help leaves out, so that it fits a screen; --help-all has them.
    """

    program: str
    synopsis: str
    about: str
    version: str
    sections: tuple[Section, ...]
    more: str = ""
    rare: frozenset[str] = frozenset()

    def switches(self) -> list[Switch]:
        """Return the switches of all sections, in their order."""
        return [switch for section in self.sections for switch in section.switches]

    def usage(self) -> str:
        """The line that says how it is called."""
        return f"Usage: {self.program} {self.synopsis}\n"

    def help(self, whole: bool = False) -> str:
        """Usage, and what the command line may say: all of it if `whole`, else without what is rare."""
        lines = [self.usage().rstrip("\n"), self.about.rstrip("\n")]
        for section in self.sections:
            shown = [each for each in section.switches if whole or each.name not in self.rare]
            lines += [f"  {section.heading}"] if section.heading and shown else []
            lines += [_explained(*switch.row()) for switch in shown]
        return "\n".join([*lines, f"{self.more or 'More:'} man {self.program}"]) + "\n"


MORE = "More: dtrace --explain options, dtrace --explain WORD,"  # of commands that compile D
HELP = Switch("--help", "show this")
HELP_ALL = Switch("--help-all", "show every switch")
VERSION = Switch("-V", "show the version", other="--version")


def _explained(written: str, text: str) -> str:
    lead = f"    {written}"
    return f"{lead:<{_COLUMN}}  {text}" if len(lead) <= _COLUMN else f"{lead}\n{' ' * _COLUMN}  {text}"


# -- taking a command line apart -------------------------------------------------------------------------

class GetoptError(Exception):
    """An option that does not exist, or whose argument is missing or too many; `opt` has no dashes."""

    def __init__(self, message: str, opt: str) -> None:
        super().__init__(message)
        self.msg, self.opt = message, opt


def gnu_getopt(argv: Sequence[str], letters: str, words: Sequence[str] = ()
               ) -> tuple[list[tuple[str, str]], list[str]]:
    """Options with their arguments ("" for none), and operands, in their order.

    `letters` has a colon after each letter that takes an argument; `words` are
    long options, with "=" at their end for the same, which may be abbreviated.
    Raises GetoptError.
    """
    pairs: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = list(argv)
    while rest:
        each = rest.pop(0)
        if each == "--":
            return pairs, operands + rest
        if each.startswith("--"):
            pairs.append(_long(each[2:], words, rest))
        elif each.startswith("-") and each != "-":
            pairs += _short(each[1:], letters, rest)
        else:
            operands.append(each)
    return pairs, operands


def _long(text: str, words: Sequence[str], rest: list[str]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    found = [each for each in words if each.rstrip("=") == name] or \
        [each for each in words if each.startswith(name)]
    if not found:
        raise GetoptError(f"option --{name} not recognized", name)
    if len(found) > 1:
        raise GetoptError(f"option --{name} not a unique prefix", name)
    word = found[0].rstrip("=")
    if word == found[0]:
        if equals:
            raise GetoptError(f"option --{word} must not have an argument", word)
    elif not equals:
        if not rest:
            raise GetoptError(f"option --{word} requires argument", word)
        value = rest.pop(0)
    return f"--{word}", value


def _short(text: str, letters: str, rest: list[str]) -> list[tuple[str, str]]:
    """The options of one word: letters without arguments, and at most one with, which is the last."""
    pairs = []
    for at, letter in enumerate(text):
        place = -1 if letter == ":" else letters.find(letter)
        if place < 0:
            raise GetoptError(f"option -{letter} not recognized", letter)
        if not letters.startswith(":", place + 1):
            pairs.append((f"-{letter}", ""))
            continue
        value = text[at + 1:]
        if not value:
            if not rest:
                raise GetoptError(f"option -{letter} requires argument", letter)
            value = rest.pop(0)
        return [*pairs, (f"-{letter}", value)]
    return pairs


def parse(command: Command, argv: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The switches that `argv` (without the program's name) gives, each with its argument, and the operands.

    A switch goes by the first of its spellings.  Raises Usage; Done for --help, and for --version where
    the command has the switch of that name.
    """
    letters, words, first = "", [], {}
    for switch in command.switches():
        for name in filter(None, (switch.name, switch.other)):
            first[name] = switch.name
            if name.startswith("--"):
                words.append(name[2:] + "=" * bool(switch.value))
            else:
                letters += name[1] + ":" * bool(switch.value)
    try:
        pairs, operands = gnu_getopt(argv, letters, words)
    except GetoptError as error:
        what = "option requires an argument" if "requires" in error.msg else "illegal option"
        raise Usage(f"{what} -- {error.opt}") from None
    pairs = [(first[name], value) for name, value in pairs]
    for name, _value in pairs:
        if name == HELP.name:
            raise Done(command.help())
        if name == HELP_ALL.name:
            raise Done(command.help(whole=True))
        if name == VERSION.name and first.get("--version"):
            raise Done(f"{command.program}: {command.version}\n")
    return pairs, operands


def model_bits(name: str, value: str) -> int:
    """The data model that -32 or -64 asks for.  Raises Usage."""
    if name + value not in ("-32", "-64"):
        raise Usage(f"illegal option -- {name[1:]}{value}")
    return int(name[1:] + value)


# -- files -----------------------------------------------------------------------------------------------

def read_bytes(path: str) -> bytes:
    """A file's contents, those of standard input for "-".  Raises Failure."""
    try:
        if path == "-":
            return bounded(sys.stdin.buffer.read(LARGEST_FILE + 1), path)
        with open(path, "rb") as file:
            return bounded(file.read(LARGEST_FILE + 1), path)
    except OSError as error:
        raise Failure(f"failed to open {path}: {error.strerror}") from None
    except ValueError:
        raise Failure(f"failed to open {path!r}: not a file name") from None


def read_text(path: str) -> str:
    """A file as text with Unix line ends; bytes that are no UTF-8 survive as surrogates.  Raises Failure."""
    text = read_bytes(path).decode("utf-8", "surrogateescape")
    return text if path == "-" else text.replace("\r\n", "\n").replace("\r", "\n")


def write_bytes(path: str | None, data: bytes) -> None:
    """Write a file, or to standard output if there is no path or it is "-".  Raises OSError."""
    from dof.outputs import STANDARD_OUTPUT, write

    write({path or STANDARD_OUTPUT: data})


# -- the end ---------------------------------------------------------------------------------------------

# Of the process's shell: what a command returns that SIGINT or SIGPIPE would have ended.
_INTERRUPTED, _PIPE_CLOSED = 130, 141
_TRACEBACK = "DTRACE_TRACEBACK"  # the variable of the environment with which bugs show one


def run(command: Command, work: Callable[[list[str]], int], argv: Sequence[str] | None = None) -> int:
    """Do a command's work; return its exit status.

    `argv` is the command line without the program's name, the process's own unless given.
    """
    program = command.program
    _open_standard_files()
    try:
        status = _work(command, work, list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader wants no more: no error, and nothing to say
        _discard(sys.stdout)
        return _PIPE_CLOSED
    except OSError as error:
        _discard(sys.stdout)
        _say(f"{program}: {error.filename or 'standard output'}: {error.strerror or error}\n")
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    except MemoryError:
        _say(f"{program}: out of memory\n")
        return 1
    except Exception as bug:
        if os.environ.get(_TRACEBACK):
            raise
        _say(_bug_report(program, bug))
        return 1


def _work(command: Command, work: Callable[[list[str]], int], argv: list[str]) -> int:
    """Do the work, and say why it ends early."""
    try:
        return work(argv)
    except Done as text:
        sys.stdout.write(str(text))
        return 0
    except Usage as error:
        _say(f"{command.program}: {error}\n{command.usage()}")
        return 2
    except Failure as failure:
        _say(str(failure) if failure.report else f"{command.program}: {failure}\n")
        return 1


def _say(text: str) -> None:
    """Write to standard error; the exit status tells enough where that cannot be written."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    from dof.outputs import discard

    discard(stream)


def _bug_report(program: str, bug: Exception) -> str:
    """What went wrong and where, where to report it, and how to get the traceback: a line each."""
    place = bug.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = ""
    if place is not None:
        top = os.path.dirname(os.path.dirname(__file__))
        where = f" ({os.path.relpath(place.tb_frame.f_code.co_filename, top)}, line {place.tb_lineno})"
    lines = f"{type(bug).__name__}: {bug}".split("\n")
    return (f"{program}: internal error: {lines[0][:200]}{where}\n"
            f"{program}: this is a bug: please report it, with the command line and its files, where you got "
            "dtrace-suite\n"
            f"{program}: with {_TRACEBACK}=1 in the environment the same command shows the traceback\n")


def _open_standard_files() -> None:
    """Open the standard files that the process was started without (`>&-`).

    Files that are opened later would become them.  Input and output cannot be read and written, so that
    using them fails as it should; messages are lost.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest number that is free
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
