"""Provider files of builds for SystemTap: `-x header=sdt`, and sdt-dtrace.

Their probes are notes, so that what -h writes is all that matters, and -G needs no objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dc.options import Options
from dc.script import Request, read
from dof.commandline import write_bytes
from dof.usdt.definition import ProviderDefinition
from dof.usdt.sdtproviders import ProbeSyntaxError, parse_probes


def declared(requests: Iterable[Request], options: Options, bits: int | None, program: str
             ) -> list[ProviderDefinition]:
    """The providers that files declare, for the command `program`.  Raises Failure."""
    providers = []
    for request in requests:
        written = read(request, options, bits or 64, program)
        try:
            providers += parse_probes(written.text)
        except ProbeSyntaxError as problem:
            from dc.diagnostics import Span, error

            place = Span(problem.file, problem.line, 1, 1)
            raise written.failure(error("D_SYNTAX", place, str(problem)), options, program) from None
    return providers


def write_header(providers: Sequence[ProviderDefinition], output: str, *, types: bool) -> None:
    """Write the header of notes.  Raises OSError."""
    from dof.usdt import notesheader

    write_bytes(output, notesheader.generate(providers, types=types).encode("utf-8", "surrogateescape"))


def write_object(providers: Sequence[ProviderDefinition], objects: Sequence[str], output: str,
                 bits: int | None, compiler: Sequence[str] = ()) -> None:
    """Write the object of semaphores, for the machine of `objects` or of a compiler's command line.

    Raises OSError.
    """
    from dof.usdt.semaphores import target_machine, write_semaphores

    write_semaphores(providers, objects, output, target_machine(compiler, bits))
