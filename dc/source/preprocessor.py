"""`-C`: the C preprocessor (pcpp, or that of -x cpppath) over a D program, with line markers for the lexer.

The preprocessor writes a marker, `# line "file" state`, where lines change.  The
program itself is the file "", so that errors in it are reported by line alone;
included files have their names.  A state of 1 tells the lexer that an included
file begins, 2 that it ended.
"""

from __future__ import annotations

import errno
import glob
import io
import os
import re
import sys
from pathlib import Path

from dc.diagnostics import CompileError, Span, error
from dc.options import Options
from dc.source.macros import predefined
from dif.hostfiles import read_whole

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO, Any, Protocol

    class Token(Protocol):
        """A token of pcpp's, as far as it matters here."""

        value: str
        lineno: int
        source: str

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
_INCOMPLETE = re.compile(r"^[ \t]*#[ \t]*(define|undef|ifdef|ifndef|include|if|elif)[ \t]*$", re.MULTILINE)
TOKEN_LIMIT = 200_000


def preprocess(text: str, filename: str, options: Options, bits: int = 64,
               included: dict[str, str] | None = None) -> str:
    """The program with macros replaced and files included, whose texts go to `included` by their paths.

    Files to include are searched for in the directory of `filename` first; `bits`
    is 64 or 32, by the data model.  The options define, undef and incdir are those
    of -D, -U and -I; with cpphdrs the paths of included files are written to
    standard error.
    Raises CompileError (D_UNKNOWN) for what a C preprocessor refuses.
    """
    text = _INTERPRETER.sub("", text)
    if options.is_on("cpppath"):
        return _mark(_run(text, filename, options, bits))
    _check_directives(text)
    preprocessor = _preprocessor({} if included is None else included, options)
    for macro in predefined(options, bits):
        preprocessor.define(macro)
    for macro in options.items("define"):
        name, equals, value = macro.partition("=")
        preprocessor.define(f"{name} {value if equals else 1}")
    for name in options.items("undef"):
        preprocessor.undef(name)
    preprocessor.temp_path = [_directory(filename)]
    for path in [*options.items("incdir"), *_system_directories()]:
        preprocessor.add_path(path)
    preprocessor.rewrite_paths = []
    out = io.StringIO()
    try:
        preprocessor.parse(text, "")
        preprocessor.write(out)
    except _Stop as stop:
        raise _failed(*stop.args) from None
    except RecursionError:
        raise _failed(preprocessor.source or "", 1, "files include one another too deep") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # pcpp stumbles over some malformed directives instead of reporting them
        where = preprocessor.lastdirective
        raise _failed(where.source if where else "", where.lineno if where else 1,
                      "malformed directive or macro") from None
    if options.is_on("cpphdrs"):
        sys.stderr.writelines(f"{path}\n" for path in preprocessor.included)
    return _mark(out.getvalue())


def _directory(filename: str) -> str:
    return str(Path(filename).absolute().parent)


def _run(text: str, filename: str, options: Options, bits: int) -> str:
    """The output of the user's own preprocessor, which reports errors on standard error itself."""
    import subprocess

    path = options.text("cpppath")
    macros = ("=".join(each.partition(" ")[::2]) for each in predefined(options, bits, compiler=False))
    command = [path, *(f"-D{each}" for each in (*macros, *options.items("define"))),
               *(f"-U{each}" for each in options.items("undef")),
               *(f"-I{each}" for each in (_directory(filename), *options.items("incdir"))),
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


class _Stop(Exception):
    """The first error, as (file, line, message), which ends preprocessing."""


def _failed(file: str, line: int, message: str) -> CompileError:
    return error("D_UNKNOWN", Span(file, line, 1, 1), f"preprocessor: {message.strip()}")


def _check_directives(text: str) -> None:
    match = _INCOMPLETE.search(text)
    if match is not None:
        raise _failed("", text.count("\n", 0, match.start(1)) + 1, f"#{match[1]} is incomplete")


def _preprocessor(texts: dict[str, str], options: Options) -> Any:
    """A pcpp that stops at the first error, and before its output takes all memory."""
    from pcpp import Action, OutputDirective, Preprocessor

    most, deepest, longest = map(options.number, ("includes", "includedepth", "includesize"))

    class Program(Preprocessor):
        expanded = size = depth = 0

        def __init__(self) -> None:
            super().__init__()
            self.included: list[str] = []
            self.open_ifs: list[bool] = []  # whether each has had its #else

        def on_error(self, file: str, line: int, msg: str) -> None:
            unended = "Unterminated #"  # followed by the line, in which macros may be replaced by now
            if msg.startswith(unended):
                msg = f"#{msg[len(unended):].split(maxsplit=1)[0]} has no #endif"
            raise _Stop(file, line, msg)

        def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str,
                                 includepath: str) -> None:
            if includepath in KERNEL_HEADERS and is_system_include:
                raise OutputDirective(Action.IgnoreAndRemove)
            raise _Stop(self.lastdirective.source, self.lastdirective.lineno,
                        f"include file {includepath} not found")

        def on_directive_handle(self, directive: Token, toks: list[Token], ifpassthru: bool,
                                precedingtoks: list[Token]) -> bool | None:
            name = directive.value
            if name in ("if", "ifdef", "ifndef"):
                self.open_ifs.append(False)
            elif name == "endif" and self.open_ifs:
                self.open_ifs.pop()
            elif name in ("else", "elif") and self.open_ifs:
                if self.open_ifs[-1]:
                    raise _Stop(directive.source, directive.lineno, f"#{name} after #else")
                self.open_ifs[-1] = name == "else"
            return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

        def on_directive_unknown(self, directive: Token, toks: list[Token], ifpassthru: bool,
                                 precedingtoks: list[Token]) -> bool | None:
            if directive.value == "error":
                shown = "".join(token.value for token in toks).strip()
                raise _Stop(directive.source, directive.lineno, f"#error {shown}")
            return None if directive.value != "warning" else True

        def include(self, tokens: list[Token], original_line: list[Token]) -> Iterator[Token]:
            self.depth += 1
            if self.depth > deepest:
                raise _Stop(self.lastdirective.source, self.lastdirective.lineno,
                            f"more than {deepest} files within one another (-x includedepth={deepest})")
            yield from super().include(tokens, original_line)
            self.depth -= 1

        def on_file_open(self, is_system_include: bool, includepath: str) -> IO[str]:
            if not os.path.isfile(includepath):  # pcpp goes on to the next directory
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), includepath)
            self.included.append(includepath)
            if len(self.included) > most:
                raise _Stop(includepath, 1, f"more than {most} files included (-x includes={most})")
            try:
                text = read_whole(includepath).decode("utf-8", "surrogateescape")
            except OSError as error:
                raise _Stop(self.lastdirective.source, self.lastdirective.lineno,
                            f"cannot include {includepath}: {error.strerror}") from None
            self.size += len(text)
            if self.size > longest:
                raise _Stop(includepath, 1, f"more than {longest} bytes included (-x includesize={longest})")
            texts[includepath] = text.removeprefix("\ufeff").replace("\r\n", "\n")
            return io.StringIO(texts[includepath])

        def expand_macros(self, tokens: list[Token], expanding_from: Sequence[str] = ()) -> list[Token]:
            self.expanded += 1 + len(tokens)
            if self.expanded > TOKEN_LIMIT:
                raise _Stop(self.source or "", self.linemacro, "macros expand to too much text")
            return super().expand_macros(tokens, list(expanding_from))

    return Program()


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
