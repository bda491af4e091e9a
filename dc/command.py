"""The command dc: D programs → DOF, or any form on the way there.

    dc script.d -o out.dof              compile
    dc -n 'BEGIN { exit(0); }' -S       list the DIF
    dc -e script.d other.d              only check
    dc --emit ast script.d              show the syntax tree

Exit status: 0, 1 if a program has an error, 2 for a command line that makes no sense.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

from dc.arguments import Arguments, Input, UsageError, parse
from dc.diagnostics import CompileError, Diagnostic, render, texts
from dc.options import Options

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import NoReturn

    from dc.compiler import Compiler, CompileResult

PROGRAM = "dc"
GARBAGE = 100_000  # objects made before cycles are looked for: almost all of a compilation's live to its end
MACRO_VARIABLES = ("pid", "ppid", "pgid", "sid", "uid", "euid", "gid", "egid", "projid", "taskid", "target")


class Failure(Exception):
    """Ends the command with status 1; the message is whole lines."""


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status, or ends the process where `argv` is the process's own."""
    if argv is None:
        gc.set_threshold(GARBAGE)
        _leave(_main(sys.argv[1:]))
    return _main(argv)


def _leave(status: int) -> NoReturn:
    """End without the interpreter's taking every object apart first, a tenth of a short script's time."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads any more
        status = status or 1
    os._exit(status)


def _main(argv: list[str]) -> int:
    try:
        arguments = parse(argv)
        if arguments is None:
            return 0
        data = _run(arguments)  # this also settles where to write
        _write(arguments.output, data)
        return 0
    except UsageError as problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        return 2
    except Failure as failure:
        sys.stderr.write(str(failure))
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as problem:
        print(f"{PROGRAM}: {problem.filename or 'standard output'}: {problem.strerror}", file=sys.stderr)
        return 1


def _run(arguments: Arguments) -> bytes:
    """What the command is to write."""
    if arguments.emit == "ast":
        return b"".join(_tree(each, arguments) for each in arguments.inputs)
    session = _session(arguments)
    results = [_compile(session, each, arguments) for each in arguments.inputs]
    for result in results:
        sys.stderr.write(_rendered(result.warnings, "", "", arguments.options, lines=True))
    if arguments.check:
        return b""
    return _EMITTERS[arguments.emit](session, results, arguments)


# -- compiling -------------------------------------------------------------------------------------------

def _session(arguments: Arguments) -> Compiler:
    """A compiler without a kernel behind it: it knows types, and takes every probe for granted."""
    from dc.compiler import Compiler
    from dc.names.kernelheader import KERNEL_HEADER, kernel_types
    from dc.names.staticcatalog import StaticCatalog
    from dc.types.types import Model

    model = Model.ILP32 if arguments.bits == 32 else Model.LP64
    header = arguments.header or KERNEL_HEADER
    text = _read(header)
    catalog = StaticCatalog(kernel_types(text, model, os.path.basename(header)), model,
                            "" if arguments.header else text)
    return Compiler(catalog, target=arguments.options.numbering,
                    constants=arguments.options.system, variables=_variables())


def _variables() -> dict[str, int]:
    """Macro variables: of this process, as dtrace's are of dtrace itself."""
    values = (os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), os.getuid(), os.geteuid(), os.getgid(),
              os.getegid(), 0, 0, 0)
    return dict(zip(MACRO_VARIABLES, values, strict=True))


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _text(each: Input, arguments: Arguments) -> str:
    """An input's text; undecodable bytes survive.  Raises Failure."""
    if each.specifier is not None:
        return each.text
    if each.text == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        return _read(each.text)
    except OSError as problem:
        raise Failure(f"{PROGRAM}: failed to open {each.text}: {problem.strerror}\n") from None
    except ValueError:
        raise Failure(f"{PROGRAM}: failed to open {each.text!r}: not a file name\n") from None


def _compile(session: Compiler, each: Input, arguments: Arguments) -> CompileResult:
    from dc.source.specifiers import Specifier

    source = _text(each, arguments)
    options, preprocessed, became = arguments.options, "", None
    try:
        if options.is_on("cpp"):
            from dc.source.preprocessor import line_after, preprocess

            preprocessed = preprocess(source, "" if each.text == "-" else each.text, options,
                                      arguments.bits)
            became = partial(line_after, preprocessed)
        specifier = Specifier[each.specifier.upper()] if each.specifier else Specifier.NAME
        name = each.text if each.specifier is None else ""
        return session.compile(preprocessed or source, options=options, filename=name, specifier=specifier,
                               arguments=[name or PROGRAM, *arguments.operands],
                               collect=arguments.all_errors)
    except CompileError as problem:
        context = f"failed to compile script {each.text}" if each.specifier is None else \
            f"invalid probe specifier {each.text}"
        raise Failure(_rendered(problem.diagnostics, context, source, options, lines=each.specifier is None,
                                preprocessed=became)) from None


def _rendered(diagnostics: list[Diagnostic], context: str, source: str, options: Options, *,
              lines: bool, preprocessed: Callable[[str, int], str | None] | None = None) -> str:
    if not diagnostics:
        return ""
    return render(diagnostics, context, source=texts(source), tags=options.is_on("errtags"), lines=lines,
                  colour=sys.stderr.isatty(), program=PROGRAM, preprocessed=preprocessed)


# -- what can be written ---------------------------------------------------------------------------------

def _dof(_session: Compiler, results: list[CompileResult], arguments: Arguments) -> bytes:
    """DOF of all the inputs together; named after the first one unless -o says otherwise."""
    from dof import writer
    from dof.format import DofError

    merged = results[0].program
    for result in results[1:]:
        merged.ecbs += result.program.ecbs
        merged.options = list(dict([*merged.options, *result.program.options]).items())
    if arguments.output is None:
        arguments.output = _default_output(arguments.inputs[0])
    try:
        return writer.write(merged)
    except DofError as problem:
        raise Failure(f"{PROGRAM}: {problem}\n") from None


def _default_output(first: Input) -> str:
    if first.specifier is not None:
        return "d.out"
    return "-" if first.text == "-" else os.path.splitext(os.path.basename(first.text))[0] + ".dof"


def _listing(_session: Compiler, results: list[CompileResult], _arguments: Arguments) -> bytes:
    """The classic listing of each DIF object, wherever it is referred to (`dtrace -S`)."""
    from dif import disassembler

    return "".join(disassembler.listing(difo, number) for result in results
                   for number, difo in enumerate(result.program.references())).encode()


def _dif(_session: Compiler, results: list[CompileResult], _arguments: Arguments) -> bytes:
    """Text that difas reads."""
    from dof import text

    return "".join(text.dump(result.program) for result in results).encode("utf-8", "surrogateescape")


def _json(_session: Compiler, results: list[CompileResult], _arguments: Arguments) -> bytes:
    """The clauses as data, for other programs: probes, stability, actions and their DIF."""
    import json

    from dc.describe import described

    return (json.dumps([described(result) for result in results], indent=1) + "\n").encode()


def _types(session: Compiler, results: list[CompileResult], _arguments: Arguments) -> bytes:
    """The variables, aggregations and types that the programs declare, with their layout."""
    from dc.describe import declared_types

    return declared_types(session, results).encode()


_EMITTERS: dict[str, Callable[[Compiler, list[CompileResult], Arguments], bytes]] = {
    "dof": _dof, "listing": _listing, "dif": _dif, "json": _json, "types": _types}


def _tree(each: Input, arguments: Arguments) -> bytes:
    """The syntax tree.  Declarations take effect, so that names are read as the compiler reads them."""
    from dc.checking.treelines import tree_lines
    from dc.source.lexer import Lexer, Macros
    from dc.source.parser import parse_program
    from dc.source.tree import Clause

    session = _session(arguments)
    source = _text(each, arguments)
    macros = Macros([each.text, *arguments.operands], session.variables,
                    arguments.options.is_on("defaultargs"))

    def lines() -> Iterator[str]:
        for node in parse_program(Lexer(source, session.declarer, macros=macros)):
            if not isinstance(node, Clause):
                session.declarer.declare(node)
            yield from tree_lines(node)

    try:
        session.libraries.begin(arguments.options)
        session.declarer.begin(arguments.options.copy())
        return ("\n".join(lines()) + "\n").encode("utf-8", "surrogateescape")
    except CompileError as problem:
        raise Failure(_rendered(problem.diagnostics, f"failed to compile script {each.text}", source,
                                arguments.options, lines=each.specifier is None)) from None


def _write(output: str | None, data: bytes) -> None:
    if output is None or output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    with open(output, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    sys.exit(main())
