"""The command dc: D programs → DOF, or any form on the way there.

    dc script.d -o out.dof              compile
    dc -n 'BEGIN { exit(0); }' -S       list the DIF
    dc -e script.d other.d              only check
    dc -e --emit json script.d          the same, for editors and CI: diagnostics as a list of JSON
    dc --emit ast script.d              show the syntax tree
    dc --emit html script.d -o x.html   source, tree, DIF and DOF in a page, linked

Exit status: 0, 1 if a program has an error, 2 for a command line that makes no sense.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from dc.arguments import COMMAND, Arguments, parse
from dc.diagnostics import CompileError
from dc.script import Request, Written, diagnostics, own_ids, read, report
from dof.commandline import Failure, Usage, read_text, run, write_bytes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import Compiler, CompileResult
    from dc.names.catalog import Catalog
    from dc.source.tree import Node

PROGRAM = COMMAND.program


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run(COMMAND, _work, argv)


def _work(argv: list[str]) -> int:
    arguments = parse(argv)
    if arguments.serves:
        return _serve()
    if arguments.check and arguments.emit == "json":
        return _diagnose(arguments)
    data = _run(arguments)  # this also settles where to write
    write_bytes(arguments.output, data)
    return 0


def _serve() -> int:
    """Serve an editor.  The server is in a package above this one, which names it as an entry point."""
    from importlib.metadata import entry_points

    for each in entry_points(group="dc.servers"):
        try:
            main = each.load()
        except ImportError as error:
            raise Failure(f"--lsp needs {error.name or error}: pip install 'dtrace-suite[editor]'") from None
        return int(main())
    raise Failure("--lsp: no language server is installed")


def _run(arguments: Arguments) -> bytes:
    """What the command is to write."""
    if arguments.emit == "ast":
        return b"".join(_tree(each, arguments) for each in arguments.inputs)
    session = _session(arguments)
    results = [_compile(session, each, arguments) for each in arguments.inputs]
    for each, result in zip(arguments.inputs, results, strict=True):
        if result.warnings:
            sys.stderr.write(report(CompileError(result.warnings), "", Written(each, "", ""),
                                    arguments.options, PROGRAM))
    if arguments.check:
        return b""
    return _EMITTERS[arguments.emit](session, results, arguments)


def _diagnose(arguments: Arguments) -> int:
    """Write the diagnostics of all inputs as one JSON list; return 1 if there is an error among them."""
    import json

    session = _session(arguments)
    found: list[dict[str, str | int | None]] = []
    failed = False
    for each in arguments.inputs:
        try:
            written = read(each, arguments.options, arguments.bits, PROGRAM)
            result = _compiled(session, written, arguments)
            found += diagnostics(CompileError(result.warnings), each, False)
        except CompileError as error:
            failed = True
            found += diagnostics(error, each, True)
    write_bytes(arguments.output, (json.dumps(found, indent=1) + "\n").encode())
    return 1 if failed else 0


# -- compiling -------------------------------------------------------------------------------------------

def _session(arguments: Arguments) -> Compiler:
    """Return a compiler that has no kernel: it knows types, and believes that every probe exists.

    Programs for no other system are for the machine, which knows the arguments of its probes.
    """
    from dc.compiler import Compiler
    from dc.names.kernelheader import KERNEL_HEADER, kernel_types
    from dc.names.staticcatalog import StaticCatalog
    from dc.types.types import Model

    model = Model.ILP32 if arguments.bits == 32 else Model.LP64
    header = arguments.header or KERNEL_HEADER
    text = read_text(header)
    catalog = StaticCatalog(kernel_types(text, model, os.path.basename(header)), model,
                            "" if arguments.header else text,
                            *([_machine] if arguments.options.system == "linux" else []))
    return Compiler(catalog, target=arguments.options.numbering,
                    constants=arguments.options.system, variables=own_ids() | {"target": 0})


def _machine() -> Catalog | None:
    """The catalog of the machine, which is in a package above this one.  That names it as an entry point."""
    from importlib.metadata import entry_points

    for each in entry_points(group="dc.machines"):
        try:
            catalog: Catalog = each.load()()
        except ImportError:
            continue
        return catalog
    return None


def _compile(session: Compiler, each: Request, arguments: Arguments) -> CompileResult:
    """Compile one program.  Raises Failure."""
    written = read(each, arguments.options, arguments.bits, PROGRAM)
    try:
        return _compiled(session, written, arguments)
    except CompileError as error:
        raise written.failure(error, arguments.options, PROGRAM) from None


def _compiled(session: Compiler, written: Written, arguments: Arguments) -> CompileResult:
    """Compile the text of a program.  Raises CompileError."""
    each = written.request
    return session.compile(written.text, options=arguments.options, filename=each.filename,
                           specifier=each.specifier,
                           arguments=[each.filename or PROGRAM, *arguments.operands],
                           collect=arguments.all_errors)


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
        raise Failure(str(problem)) from None


def _default_output(first: Request) -> str:
    if not first.is_script:
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


def _parsed(each: Request, arguments: Arguments) -> tuple[Written, list[Node]]:
    """A program's text and syntax trees.

    Declarations take effect, so that names are read as the compiler reads them.  Raises Failure.
    """
    from dc.source.lexer import Lexer, Macros
    from dc.source.parser import parse_program
    from dc.source.tree import Clause

    session = _session(arguments)
    written = read(each, arguments.options, arguments.bits, PROGRAM)
    macros = Macros([each.text, *arguments.operands], session.variables,
                    arguments.options.is_on("defaultargs"))
    nodes: list[Node] = []
    try:
        session.libraries.begin(arguments.options)
        session.declarer.begin(arguments.options.copy())
        for node in parse_program(Lexer(written.text, session.declarer, macros=macros)):
            if not isinstance(node, Clause):
                session.declarer.declare(node)
            nodes.append(node)
    except CompileError as error:
        raise written.failure(error, arguments.options, PROGRAM) from None
    return written, nodes


def _tree(each: Request, arguments: Arguments) -> bytes:
    """The syntax tree as text."""
    from dc.checking.treelines import tree_lines

    _written, nodes = _parsed(each, arguments)
    return ("\n".join(line for node in nodes for line in tree_lines(node)) + "\n").encode(
        "utf-8", "surrogateescape")


def _html(_session: Compiler, results: list[CompileResult], arguments: Arguments) -> bytes:
    """A page with source, tree, DIF and DOF of the program, linked."""
    from dc.page import page
    from dof import writer
    from dof.format import DofError

    if len(results) != 1:
        raise Usage("--emit html shows one program")
    (each,), (result,) = arguments.inputs, results
    written, nodes = _parsed(each, arguments)
    try:
        return page(each.name, written.text, nodes, result.program, result.clauses,
                    writer.write(result.program))
    except DofError as problem:
        raise Failure(str(problem)) from None


_EMITTERS: dict[str, Callable[[Compiler, list[CompileResult], Arguments], bytes]] = {
    "dof": _dof, "listing": _listing, "dif": _dif, "json": _json, "types": _types, "html": _html}


if __name__ == "__main__":
    sys.exit(main())
