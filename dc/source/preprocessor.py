"""`-C`: the C preprocessor over a D program, with line markers for the lexer.

It is ours (preprocessing/), or that of -x cpppath.  It writes a marker, `# line "file" state`, where lines
change.  The program itself is the file "", so that errors in it are reported by line alone; included files
have their names.  A state of 1 tells the lexer that an included file begins, 2 that it ended.
"""

from __future__ import annotations

import glob
import io
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from dc.characters import unescape
from dc.diagnostics import CompileError, Span, error
from dc.options import Options
from dc.source.preprocessing.conditions import holds
from dc.source.preprocessing.predefined import predefined
from dc.source.preprocessing.replacement import Replacement
from dc.source.preprocessing.tokens import (
    HAS_INCLUDE,
    JOINT,
    STRING,
    WORDS,
    Budget,
    Line,
    Refused,
    Token,
    logical_lines,
    spelled,
)
from dc.source.preprocessing.traditional import TraditionalMacros
from dif.hostfiles import read_whole
from dif.limits import RECURSION
from dif.records import Record, field

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

# Headers of illumos' kernel that scripts include for types which the compiler knows without them.
KERNEL_HEADERS = frozenset((
    "inet/common.h", "inet/ip.h", "inet/ip6.h", "inet/ip_impl.h", "inet/ipclassifier.h", "inet/led.h",
    "inet/mi.h", "inet/nd.h", "inet/optcom.h", "inet/tcp.h", "inet/tcp_impl.h", "inet/udp_impl.h",
    "sys/avl.h", "sys/buf.h", "sys/byteorder.h", "sys/class.h", "sys/cmn_err.h", "sys/condvar.h",
    "sys/conf.h", "sys/cpuvar.h", "sys/cred.h", "sys/cyclic.h", "sys/ddi.h", "sys/dditypes.h",
    "sys/disp.h", "sys/dtrace.h", "sys/fs/ufs_inode.h", "sys/isa_defs.h", "sys/kmem.h", "sys/kstat.h",
    "sys/mutex.h", "sys/pathname.h", "sys/priocntl.h", "sys/proc.h", "sys/project.h", "sys/rwlock.h",
    "sys/sdt.h", "sys/session.h", "sys/socketvar.h", "sys/stream.h", "sys/stropts.h", "sys/strsun.h",
    "sys/sunddi.h", "sys/systm.h", "sys/task.h", "sys/taskq.h", "sys/thread.h", "sys/vfs.h",
    "sys/vnode.h", "sys/zone.h", "vm/anon.h", "vm/as.h", "vm/hat.h", "vm/page.h", "vm/seg.h"))

_MARKER = re.compile(r'^#(?:line)? (\d+) "(.*)"(?: \d)*$', re.MULTILINE)
_INTERPRETER = re.compile(r"\A[ \t]*#![^\n]*")
_CONTROL = re.compile(r"\s*#\s*([A-Za-z_]\w*|[0-9]+)?(.*)", re.ASCII | re.DOTALL)
_TRADITIONAL_CONTROL = re.compile(r"#\s*([A-Za-z_]\w*|[0-9]+)?(.*)", re.ASCII | re.DOTALL)
_HEADER = re.compile(r"""\s*(?:<([^>]+)>|"([^"]+)")""")
_GUARD = re.compile(rf"(?:ifndef|if\s*!\s*defined)\s*(?:\(\s*)?({WORDS.pattern})\s*(?:\)\s*)?", re.ASCII)
_BLANK_LINES = 8  # more are written as a marker
_LAST_LINE = (1 << 31) - 1


class Macros(Protocol):
    """The macros that are defined.  All methods raise Refused for what is wrong in a text.

    The `text` of a control line is what follows its word, `line` the number of its line in the file.
    """

    def define(self, text: str) -> None:
        """Take the text of a #define."""

    def undefine(self, name: str) -> None:
        """Forget a macro, if there is one of that name."""

    def is_defined(self, name: str) -> bool:
        """Whether a macro, or an operator such as __has_include, has this name."""

    def concern(self, text: str) -> bool:
        """Whether a word in the text is the name of a macro.  If none is, the text stays as it is."""

    def replaced(self, line: Line, more: Callable[[], Line | None]) -> str:
        """A line with its macros replaced, with a newline where what follows stands in a further line.

        `more` returns the line that follows, for a call that does not end in this one.
        """

    def tokens(self, text: str, line: int) -> list[Token]:
        """The text of an #include or a #line with its macros replaced."""

    def condition(self, text: str, line: int) -> list[Token]:
        """The text of an #if with its macros replaced, and `defined` and __has_include by 1 or 0."""


def preprocess(text: str, filename: str, options: Options, bits: int = 64,
               included: dict[str, str] | None = None) -> str:
    """The program with macros replaced and files included, whose texts go to `included` by their paths.

    Files to include are searched for in the directory of `filename` first; `bits`
    is 64 or 32, by the data model.  The options define, undef and incdir are those
    of -D, -U and -I; with cpphdrs the paths of included files are written to
    standard error.
    Raises CompileError (D_UNKNOWN) for what a C preprocessor refuses.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    text = _INTERPRETER.sub("", text)
    if options.is_on("cpppath"):
        return _mark(_run(text, filename, options, bits))
    preprocessor = _Preprocessor(options, {} if included is None else included)
    try:
        preprocessor.define(predefined(options, bits), options.items("define"), options.items("undef"))
        preprocessor.read(_File(filename, "", filename or "<stdin>"), text)
    except Refused as refusal:
        raise _failed(*preprocessor.place(refusal.line), refusal.message) from None
    except RecursionError:
        raise _failed(*preprocessor.place(), "macros are called too deep within one another") from None
    if options.is_on("cpphdrs"):
        sys.stderr.writelines(f"{path}\n" for path in preprocessor.opened)
    return preprocessor.output.text()


def _run(text: str, filename: str, options: Options, bits: int) -> str:
    """The output of the user's own preprocessor, which reports errors on standard error itself."""
    import subprocess

    path = options.text("cpppath")
    macros = ("=".join(each.partition(" ")[::2]) for each in predefined(options, bits, compiler=False))
    directory = os.path.dirname(os.path.abspath(filename))
    command = [path, *(f"-D{each}" for each in (*macros, *options.items("define"))),
               *(f"-U{each}" for each in options.items("undef")),
               *(f"-I{each}" for each in (directory, *options.items("incdir"))),
               *(["-H"] if options.is_on("cpphdrs") else [])]
    options.debug(f"running {' '.join(command)}")
    try:
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=False, encoding="utf-8",
                              errors="surrogateescape")
    except OSError as problem:
        raise _failed("", 1, f"{path} does not run: {problem.strerror}") from None
    if done.returncode:
        raise _failed("", 1, f"{path} failed")
    return done.stdout


def _system_directories() -> list[str]:
    """Where a C compiler of this machine finds its headers."""
    compilers = sorted(glob.glob("/usr/lib/gcc/*/*/include"))
    return ["/usr/include", *sorted(glob.glob("/usr/include/*-linux-gnu")), *compilers[-1:]]


def _failed(file: str, line: int, message: str) -> CompileError:
    return error("D_UNKNOWN", Span(file, line, 1, 1), f"preprocessor: {message.strip()}")


class _Output:
    """The text that is made, with markers that say where its lines come from."""

    def __init__(self) -> None:
        self._out = io.StringIO()
        self._next = "", 1  # file and number of the line that would be written next

    def text(self) -> str:
        return self._out.getvalue()

    def mark(self, file: str, line: int, state: str = "") -> None:
        """Say where the next line comes from; `state` is " 1" or " 2"."""
        self._out.write(f"# {line} {_quoted(file)}{state}\n")
        self._next = file, line

    def write(self, file: str, line: int, text: str) -> None:
        """Write a line, which may have newlines in it."""
        skipped = line - self._next[1]
        if file != self._next[0] or not 0 <= skipped <= _BLANK_LINES:
            self.mark(file, line)
        else:
            self._out.write("\n" * skipped)
        self._out.write(f"{text}\n")
        self._next = file, line + text.count("\n") + 1


class _Group(Record):
    """The lines from an #if to its #endif; `line` is that of the #if, `word` what stands there.

    `is_live` tells that the lines being read are taken.  `may_live` tells that later ones may be: none of the
    group were yet, and what is around the group is taken.
    """

    word: str
    line: int
    is_live: bool
    may_live: bool
    has_else: bool = False


class _File(Record):
    """A file that is being read.

    `name` is how markers call it, `shown` what __FILE__ is, `place` the number of the directory in which it
    was found, -1 if that is none of the list.  `line` is the line that is read; `offset` is added to it in
    markers.  `renumbered` is the number of the line that follows a #line.  `outside` is what stands within no
    #if: the macro that an #ifndef asks for, or "".
    """

    path: str
    name: str
    shown: str
    place: int = -1
    line: int = 1
    offset: int = 0
    renumbered: int | None = None
    groups: list[_Group] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    is_in_call: bool = False  # the arguments of a macro are being read

    @property
    def is_live(self) -> bool:
        return not self.groups or self.groups[-1].is_live

    @property
    def guard(self) -> str:
        """The macro whose #ifndef is around all of the file, so that it is read once; "" if there is none."""
        return self.outside[0] if len(self.outside) == 1 else ""


class _Preprocessor:
    """Reads files, obeys their control lines, and writes the others with macros replaced.

    `opened` are the paths of the included files, in order; their texts go to `texts`.
    """

    def __init__(self, options: Options, texts: dict[str, str]) -> None:
        self.output = _Output()
        self.opened: list[str] = []
        self._texts = texts
        self._options = options
        self._files: list[_File] = []
        self._path = [*options.items("incdir"), *_system_directories()]
        self._guards: dict[str, str] = {}  # by paths
        self._once: set[str] = set()  # paths
        self._size = self._counter = 0
        self.budget = Budget(options.number("macrosize"))
        self.built_in: Mapping[str, Callable[[int], str]] = {
            "__FILE__": lambda line: _quoted(self._files[-1].shown),
            "__LINE__": lambda line: str((line or self._files[-1].line) + self._files[-1].offset),
            "__INCLUDE_LEVEL__": lambda line: str(len(self._files) - 1), "__COUNTER__": self._count}
        self._is_traditional = options.choice("stdc") == "s"
        self._control = _TRADITIONAL_CONTROL if self._is_traditional else _CONTROL
        self._macros: Macros = TraditionalMacros(self) if self._is_traditional else Replacement(self)

    # -- what macros ask -----------------------------------------------------------------------------

    def _count(self, _line: int) -> str:
        self._counter += 1
        return str(self._counter - 1)

    def is_included(self, name: list[Token], is_next: bool) -> bool:
        header, is_quoted = _header(HAS_INCLUDE[is_next], name)
        return (header in KERNEL_HEADERS and not is_quoted) \
            or self._find(header, is_quoted, is_next) is not None

    # -- files -----------------------------------------------------------------------------------------

    def place(self, line: int = 0) -> tuple[str, int]:
        """The file that is being read, and the number that markers give a line of it, by default this one."""
        if not self._files:
            return "", 1
        file = self._files[-1]
        return file.name, (line or file.line) + file.offset

    def define(self, first: Iterable[str], defined: list[str], undefined: list[str]) -> None:
        """Define macros: `first` as "name text", `defined` as -D has them.  Raises Refused."""
        now = time.localtime()
        for each in (*first, f'__DATE__ "{time.strftime("%b", now)} {now.tm_mday:2} {now.tm_year}"',
                     f'__TIME__ "{time.strftime("%H:%M:%S", now)}"'):
            self._macros.define(each)
        for each in defined:
            name, equals, value = each.partition("=")
            self._macros.define(f"{name} {value if equals else 1}")
        for name in undefined:
            self._macros.undefine(name)

    def read(self, file: _File, text: str) -> None:
        """Read a file, and write what it makes.  Raises Refused."""
        self._files.append(file)
        lines = self._lines(file, text)

        def more() -> Line | None:
            file.is_in_call = True
            return next(lines, None)

        for line in lines:
            made = line.text
            if self._macros.concern(made):
                made = self._macros.replaced(line, more)
                file.is_in_call = False
            self.output.write(file.name, line.number + file.offset, made)
        self._files.pop()

    def _lines(self, file: _File, text: str) -> Iterator[Line]:
        """The lines of a file in which macros are to be replaced.  Control lines between them take effect."""
        for line in logical_lines(text, traditional=self._is_traditional):
            file.line = line.number
            if file.renumbered is not None:
                file.offset, file.renumbered = file.renumbered - line.number, None
            match = self._control.fullmatch(line.text)
            if match is not None:
                self._obey(file, match[1] or "", match[2], line.text)
            elif line.text.strip():
                if not file.groups:
                    file.outside.append("")
                if file.is_live:
                    yield Line(line.number, line.text.replace(JOINT, ""))
        if file.groups:
            raise Refused(f"#{file.groups[-1].word} has no #endif", file.groups[-1].line)

    def _obey(self, file: _File, word: str, rest: str, text: str) -> None:
        """Let a control line take effect, or write it if it is not the preprocessor's."""
        if word != "define":
            rest, text = rest.replace(JOINT, ""), text.replace(JOINT, "")
        if not file.groups:
            guard = _GUARD.fullmatch(word + rest)
            file.outside.append(guard[1] if guard is not None else "")
        if word in _CONDITIONALS:
            _CONDITIONALS[word](self, file, word, rest.replace("\n", " "))
        elif not file.is_live or not (word or rest.strip()):
            return
        elif word in _DIRECTIVES or word.isdigit():
            _DIRECTIVES.get(word, _Preprocessor._renumber)(self, file, word, rest.replace("\n", " "))
        else:
            self.output.write(file.name, file.line + file.offset, text.replace("\n", " "))

    # -- groups of lines -------------------------------------------------------------------------------

    def _if(self, file: _File, word: str, rest: str) -> None:
        may_live = file.is_live
        is_live = may_live and self._holds(file, word, rest)
        file.groups.append(_Group(word, file.line, is_live, may_live and not is_live))

    def _holds(self, file: _File, word: str, rest: str) -> bool:
        """Whether the condition of a control line is true."""
        if word.endswith("def"):
            return self._macros.is_defined(_name(word, rest)) != word.endswith("ndef")
        return holds(self._macros.condition(_given(word, rest), file.line))

    def _else(self, file: _File, word: str, rest: str) -> None:
        group = _innermost(file, word)
        if group.has_else:
            raise Refused(f"#{word} after #else")
        if len(file.groups) == 1:
            file.outside[-1] = ""
        group.has_else = word == "else"
        group.is_live = group.may_live and (word == "else" or self._holds(file, word, rest))
        group.may_live = group.may_live and not group.is_live

    def _endif(self, file: _File, word: str, _rest: str) -> None:
        _innermost(file, word)
        file.groups.pop()

    # -- other control lines ---------------------------------------------------------------------------

    def _define(self, _file: _File, word: str, rest: str) -> None:
        """Headers define attributes away for compilers that do not know them: ours does."""
        if _name(word, rest) != "__attribute__":
            self._macros.define(_given(word, rest))

    def _undef(self, _file: _File, word: str, rest: str) -> None:
        self._macros.undefine(_name(word, rest))

    def _error(self, _file: _File, _word: str, rest: str) -> None:
        raise Refused(f"#error {rest.strip()}")

    def _nothing(self, _file: _File, _word: str, _rest: str) -> None:
        """A #warning is no error."""

    def _pragma(self, file: _File, word: str, rest: str) -> None:
        if rest.split() == ["once"]:
            self._once.add(file.path)
        else:
            self.output.write(file.name, file.line + file.offset, f"#{word}{rest}")

    def _renumber(self, file: _File, word: str, rest: str) -> None:
        """A #line, or a marker that another preprocessor has left: `# 1 "file" 2`."""
        parts = self._macros.tokens(rest if word == "line" else f"{word}{rest}", file.line)
        digits = parts[0].text if parts else ""
        if not digits.isdigit() or len(digits) > len(str(_LAST_LINE)) or int(digits) > _LAST_LINE:
            raise Refused('#line is followed by NUMBER ["FILE"]')
        if len(parts) > 1:
            if parts[1].kind != STRING:
                raise Refused('#line is followed by NUMBER ["FILE"]')
            file.name = file.shown = unescape(parts[1].text[1:-1]).decode("utf-8", "surrogateescape")
        file.renumbered = int(digits)

    def _include(self, file: _File, word: str, rest: str) -> None:
        if file.is_in_call:
            raise Refused(f"#{word} stands within the arguments of a macro")
        match = _HEADER.match(_given(word, rest))
        name, is_quoted = (match[1] or match[2], match[1] is None) if match is not None else \
            _header(word, self._macros.tokens(rest, file.line))
        found = self._find(name, is_quoted, word == "include_next")
        if found is None:
            if name in KERNEL_HEADERS and not is_quoted:
                return
            raise Refused(f"include file {name} not found")
        path, place = found
        guard = self._guards.get(path, "")
        if path in self._once or (guard and self._macros.is_defined(guard)):
            return
        deepest = self._options.number("includedepth")
        if len(self._files) > deepest:
            raise Refused(f"more than {deepest} files within one another (-x includedepth={deepest})")
        if word == "import":
            self._once.add(path)
        inner = _File(path, path, path, place)
        text = self._opened(inner)
        self.output.mark(path, 1, " 1")
        self.read(inner, text)
        self.output.mark(file.name, file.line + file.offset + 1, " 2")
        self._guards[path] = inner.guard

    def _find(self, name: str, is_quoted: bool, is_next: bool) -> tuple[str, int] | None:
        """The path of a header and the number of its directory; `is_next`: one behind that of this file."""
        file = self._files[-1]
        places = list(enumerate(self._path))[file.place + 1 if is_next else 0:]
        if os.path.isabs(name):
            places = [(-1, "")]
        elif is_quoted and not is_next:
            places.insert(0, (-1, os.path.dirname(file.path)))
        paths = ((os.path.join(directory, name), place) for place, directory in places)
        return next((each for each in paths if os.path.isfile(each[0])), None)

    def _opened(self, file: _File) -> str:
        """The text of a file that is included.  Raises Refused."""
        most, longest = map(self._options.number, ("includes", "includesize"))
        try:
            text = read_whole(file.path).decode("utf-8", "surrogateescape")
        except OSError as error:
            raise Refused(f"cannot include {file.path}: {error.strerror}") from None
        self.opened.append(file.path)
        self._size += len(text)
        self._texts[file.path] = text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        if len(self.opened) > most:
            self._files.append(file)
            raise Refused(f"more than {most} files included (-x includes={most})")
        if self._size > longest:
            self._files.append(file)
            raise Refused(f"more than {longest} bytes included (-x includesize={longest})")
        return text


_Handler = Callable[[_Preprocessor, _File, str, str], None]
_CONDITIONALS: dict[str, _Handler] = {
    **dict.fromkeys(("if", "ifdef", "ifndef"), _Preprocessor._if),
    **dict.fromkeys(("else", "elif", "elifdef", "elifndef"), _Preprocessor._else),
    "endif": _Preprocessor._endif}
_DIRECTIVES: dict[str, _Handler] = {
    "define": _Preprocessor._define, "undef": _Preprocessor._undef, "error": _Preprocessor._error,
    "warning": _Preprocessor._nothing, "pragma": _Preprocessor._pragma, "line": _Preprocessor._renumber,
    **dict.fromkeys(("include", "include_next", "import"), _Preprocessor._include)}


def _given(word: str, rest: str) -> str:
    """What follows the word of a control line that needs something."""
    if not rest.strip():
        raise Refused(f"#{word} is incomplete")
    return rest.strip()


def _name(word: str, rest: str) -> str:
    match = WORDS.match(_given(word, rest))
    if match is None:
        raise Refused(f"#{word} is followed by the name of a macro")
    return match[0]


def _innermost(file: _File, word: str) -> _Group:
    if not file.groups:
        raise Refused(f"Misplaced #{word}")
    return file.groups[-1]


def _header(word: str, parts: list[Token]) -> tuple[str, bool]:
    """The name of a header, and whether it stands in quotation marks."""
    if parts and parts[0].kind == STRING:
        return parts[0].text[1:-1], True
    end = next((at for at, each in enumerate(parts) if each.text == ">"), 0)
    if end < 2 or parts[0].text != "<":
        raise Refused(f'{word} is followed by "FILE" or <FILE>')
    return spelled(parts[1:end]), False


def _quoted(text: str) -> str:
    """A string literal."""
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'


def _mark(text: str) -> str:
    """Replace the markers of the preprocessor by those that the lexer reads."""
    stack = [""]  # the program itself

    def marker(match: re.Match[str]) -> str:
        line, file = match[1], "" if match[2] == "<stdin>" else match[2]
        state = 0
        if file in stack:
            state = 2 if stack[-1] != file else 0
            del stack[stack.index(file) + 1:]
        else:
            state = 1
            stack.append(file)
        return f'# {line} "{file}" {state}' if state else f'# {line} "{file}"'

    return _MARKER.sub(marker, text)
