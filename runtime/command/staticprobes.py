"""`dtrace -l FILE...`: the static probes of ELF files, and of archives of them, without running them."""

from __future__ import annotations

import sys

from dc.names.catalog import Argument, ProbeInfo
from dc.script import Request
from dif.hostfiles import read_beginning
from dof.commandline import Failure
from dof.elf import ELF_MAGIC, ElfError
from dof.format import DofError
from dof.globs import matcher
from dof.holders.archive import is_archive
from dof.usdt.reading import FoundProbe, probes_by_module
from runtime.command.arguments import Arguments
from runtime.consumer.output.probelist import HEADING, line, probe_report

FIELDS = {"provider": 1, "module": 2, "function": 3, "name": 4}  # how many fields a specifier may have


def are_elf_files(paths: list[str]) -> bool:
    """Whether all operands are ELF files or archives, and there are any."""
    def is_elf(path: str) -> bool:
        try:
            beginning = read_beginning(path, 8)
            return beginning.startswith(ELF_MAGIC) or is_archive(beginning)
        except (OSError, ValueError):
            return False

    return bool(paths) and all(is_elf(path) for path in paths)


def list_files(arguments: Arguments) -> int:
    """List the probes of the operands that a specifier matches; return the exit status.

    A probe's number is its place in the list.  Raises Failure for a file whose probes cannot be read.
    """
    patterns = [[matcher(field) for field in _pattern(request)] for request in arguments.requests] or [[]]
    files = [_probes(path) for path in arguments.operands]
    sys.stdout.write(HEADING)
    number = 0
    for found in files:
        for module, probe in found:
            fields = probe.provider, module, probe.function, probe.name
            if not any(all(test is None or test(field) for test, field in zip(pattern, fields, strict=False))
                       for pattern in patterns):
                continue
            number += 1
            info = ProbeInfo(number, *fields)
            sys.stdout.write(line(info))
            if arguments.verbose:
                sys.stdout.write(probe_report(info, probe.attributes, _arguments(probe)))
    return 0


def _probes(path: str) -> list[tuple[str, FoundProbe]]:
    """Return the probes of a file, each with its module.  Raises Failure."""
    try:
        return [(module, probe) for module, probes in probes_by_module(path) for probe in probes]
    except (OSError, ElfError, DofError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Failure(f"failed to read {path}: {reason}") from None


def _pattern(request: Request) -> tuple[str, ...]:
    """Return a specifier's four fields, without `$target` in the provider: a file has no process."""
    fields = request.text.strip().split(":")
    wanted = FIELDS.get(request.kind)
    if wanted is None or len(fields) > wanted:
        raise Failure(f"invalid probe specifier {request.text}: files are searched for descriptions only")
    padded = [""] * (wanted - len(fields)) + fields + [""] * (4 - wanted)
    padded[0] = padded[0].removesuffix("$target")
    return tuple(padded)


def _arguments(probe: FoundProbe) -> list[Argument]:
    return [Argument(probe.native[mapped] if mapped < len(probe.native) else "", xlated, mapped)
            for xlated, mapped in zip(probe.xlated, probe.mapping, strict=True)]
