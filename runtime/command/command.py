"""dtrace(1): a thin client of runtime.consumer, dof.usdt and dc.

Each mode imports only what it needs: headers, objects and -e never load the processor emulator.
Exit status: 0, the argument of exit(), 1 for any error, 2 for a bad command line.
"""

from __future__ import annotations

import os
import sys

from dc.script import Written, read
from dof.commandline import Done, Failure, Usage, run, write_bytes
from runtime.command.arguments import COMMAND, Arguments, Mode, parse
from runtime.command.machinelibraries import needs_machine

TYPE_CHECKING = False  # typing itself would cost as much as a header takes to write
if TYPE_CHECKING:
    from dc.names.providers import ProviderFile
    from dc.options import Options
    from dof.model import Program
    from dof.usdt.definition import ProviderDefinition

PROGRAM = COMMAND.program


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    return run(COMMAND, _begin, argv)


def _begin(words: list[str]) -> int:
    """Do what the command line asks for.  What follows `--complete` is a shell's line, and not ours."""
    if words[:1] == ["--complete"]:
        return needs_machine(_complete, words[1:])
    return _run(parse(words))


def _complete(words: list[str]) -> int:
    from runtime.manual.completion import candidates

    sys.stdout.write("".join(f"{each}\n" for each in candidates(" ".join(words))))
    return 0


def _run(arguments: Arguments) -> int:
    if arguments.mode == Mode.VERSION:
        raise Done(f"{PROGRAM}: {COMMAND.version}\n")
    if arguments.explain is not None:
        return needs_machine(_explain, arguments)
    if arguments.mode == Mode.HEADER:
        return _header(arguments)
    if arguments.mode == Mode.LINK:
        return _link(arguments)
    if not arguments.words:
        sys.stderr.write(COMMAND.help())
        return 2
    if arguments.buffered and (arguments.mode != Mode.TRACE or arguments.output):
        raise Usage("-B cannot be used together with -A, -G, -l or -o")
    if arguments.mode == Mode.LIST and arguments.operands:
        from runtime.command.staticprobes import are_elf_files, list_files

        if not arguments.requests or are_elf_files(arguments.operands):
            return list_files(arguments)
    return _trace(arguments)


def _explain(arguments: Arguments) -> int:
    """Show what the manual says of a word.  Raises Failure."""
    from runtime.manual.explain import explained

    sys.stdout.write(explained(" ".join([arguments.explain or "", *arguments.operands])))
    return 0


def _trace(arguments: Arguments) -> int:
    """Do what needs a kernel; return the exit status.  Raises Failure."""
    def work(arguments: Arguments) -> int:
        from runtime.command.tracing import trace

        return trace(arguments)
    return needs_machine(work, arguments)


# -- static probes: -h and -G ----------------------------------------------------------------------

def _providers(written: Written, bits: int | None, options: Options) -> ProviderFile:
    """Return what a provider file declares.  Raises Failure."""
    from dc.diagnostics import CompileError
    from dc.names.providers import parse_providers
    from dc.types.types import Model

    try:
        return parse_providers(written.text, model=Model.ILP32 if bits == 32 else Model.LP64)
    except CompileError as error:
        raise written.failure(error, options, PROGRAM) from None


def _header(arguments: Arguments) -> int:
    """-h: a header for the providers that the scripts declare."""
    from dof.outputs import STANDARD_OUTPUT

    options = arguments.checked_options()
    kind = options.choice("header")
    if kind == "sys":
        from dof.usdt import sysheader

        write_bytes(arguments.output or "sdt.h", sysheader.generate().encode())
        return 0
    if not arguments.requests:
        raise Usage("-h needs the declaration of a provider: give its file with -s")
    first = os.path.basename(arguments.requests[0].text)
    name = first[:-2] + ".h" if first.endswith(".d") else ""
    output = arguments.output
    if output is None:
        if len(arguments.requests) > 1:
            raise Usage("-h needs -o, because there are several scripts")
        if not name:
            raise Usage("-h needs -o, because the script's name does not end in .d")
        output = name
    elif output != STANDARD_OUTPUT:
        name = output
    if kind != "dtrace":
        from runtime.command import probefiles

        probes = probefiles.declared(arguments.requests, options, arguments.bits, PROGRAM)
        probefiles.write_header(probes, output, types=kind == "types")
        return 0
    from dof.usdt import header

    providers = [provider for request in arguments.requests
                 for provider in _providers(read(request, options, arguments.bits or 64, PROGRAM),
                                            arguments.bits, options).providers]
    write_bytes(output, header.generate(providers, name).encode("utf-8", "surrogateescape"))
    return 0


def _link(arguments: Arguments) -> int:
    """-G: patch the objects' call sites and write the provider object."""
    from dof.usdt.inputs import bits_of, separate

    if not arguments.requests:
        raise Usage("-G needs the declaration of a provider: give its file with -s")
    options = arguments.checked_options()
    requests = arguments.requests
    objects = separate(arguments.operands)
    first = requests[0].text
    output = arguments.output or \
        (os.path.basename(first)[:-2] + ".o" if first.endswith(".d") else "d.out")
    if options.choice("header") != "dtrace":
        from runtime.command import probefiles

        probes = probefiles.declared(requests, options, arguments.bits, PROGRAM)
        probefiles.write_object(probes, objects, output, arguments.bits)
        return 0
    from dof.usdt.link import LinkError, link

    bits = arguments.bits or next(map(bits_of, objects), None)
    providers: list[ProviderDefinition] = []
    program: Program | None = None
    for request in requests:
        written = read(request, options, bits or 64, PROGRAM)
        declared = _providers(written, bits, options)
        providers += declared.providers
        if declared.has_clauses:
            program = _clauses(written, options, program)
    try:
        link(providers, objects, output, program=program, bits=bits,
             target=options.system, linktype=options.choice("linktype"),
             stapsdt=options.choice("stapsdt", "") or None, most_symbols=options.number("symbols"))
    except LinkError as error:
        raise Failure(f"failed to link {requests[0].what} {requests[0].name}: {error}") from None
    return 0


def _clauses(written: Written, options: Options, program: Program | None) -> Program:
    """The clauses of a -G script (helpers), added to those of earlier scripts."""
    from dc.compiler import compile as compile_d
    from dc.diagnostics import CompileError

    linking = options.copy()
    linking.values.update(zdefs=1, unodefs=1)
    if "linkmode" not in linking.values:
        linking.set("linkmode", "dynamic")
    try:
        result = compile_d(written.text, options=linking, target=options.numbering,
                           constants=options.system)
    except CompileError as error:
        raise written.failure(error, options, PROGRAM) from None
    if program is None:
        return result.program
    program.ecbs.extend(result.program.ecbs)
    return program


if __name__ == "__main__":
    sys.exit(main())
