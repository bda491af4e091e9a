"""What the code's own tables say: of one word, and as whole tables of reference.

Everything is Markdown.  Nothing here repeats a fact: each function reads the table that the compiler, the
kernel or a command reads.
"""

from __future__ import annotations

import functools
import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from dc.diagnostics import TAGS
from dc.names.builtins import Builtin, Role, table
from dc.stability import spell
from dif import isa
from dof import options as opts
from dof.commandline import Command
from dof.options import Option, Phase, Reader
from runtime.manual.pages import ROOT

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe, Provider
    from runtime.machine import Machine

_NO_CELL = "-"
_EARLIEST = (1, 0, 0)
_METAPROVIDER = "fasttrap"  # makes the providers of processes, and has no probes
_CLICKS = "dtest"
_OF_PROCESSES = ("pid", "usdt")
_INLINE = re.compile(r"^inline [\w ]+?[ *]([a-z][a-z_]*)(?:\[[^\]]*\])? =", re.MULTILINE)


class Kind:
    """What a word is: each is how its entry is called."""

    VARIABLE = "variable"
    SUBROUTINE = "subroutine"
    ACTION = "action"
    AGGREGATING = "aggregating function"
    OPTION = "option"
    TAG = "tag of an error"
    PROVIDER = "provider"
    OPCODE = "opcode"
    INLINE = "inline of the D libraries"


_ROLES = {Role.VARIABLE: Kind.VARIABLE, Role.ARRAY: Kind.VARIABLE, Role.FUNCTION: Kind.SUBROUTINE,
          Role.ACTION: Kind.ACTION, Role.AGGREGATING: Kind.AGGREGATING, Role.POINTER: Kind.VARIABLE}


@functools.cache
def known() -> dict[str, str]:
    """Return every word that the manual must explain, as headings write it, with its kind."""
    words = {name: _ROLES[row.role] for name, row in _builtins().items()}
    words |= {f"-x {name}": Kind.OPTION for name in opts.TABLE}
    words |= dict.fromkeys(sorted(TAGS), Kind.TAG)
    words |= {f"{name} provider": Kind.PROVIDER for name in providers()}
    words |= {name: Kind.INLINE for name in _inlines() if name not in words}
    return words | {name: Kind.OPCODE for name in isa.BY_NAME if name not in words}


def _builtins() -> dict[str, Builtin]:
    return table("freebsd") | table("illumos")


def _inlines() -> list[str]:
    """Return what the D libraries compute for programs under a name of its own; constants are not meant."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "dc", "lib", "*.d"))):
        with open(path, encoding="utf-8") as file:
            found += _INLINE.findall(file.read())
    return found


def providers() -> tuple[str, ...]:
    """Return the names of the providers."""
    named = {*_machine().framework.registry.providers} - {_METAPROVIDER}
    return (*sorted(named), *_OF_PROCESSES)


# -- of one word -----------------------------------------------------------------------------------------

def facts(word: str) -> str:
    """Return what the tables say of a word, as Markdown; "" where that is no more than its name."""
    kind = known()[word]
    if kind == Kind.OPTION:
        return _option(opts.TABLE[word.removeprefix("-x ")])
    if kind == Kind.OPCODE:
        return _opcode(isa.BY_NAME[word])
    return _builtin(_builtins()[word]) if kind in _ROLES.values() else ""


def _builtin(row: Builtin) -> str:
    notes = []
    if row.role in (Role.VARIABLE, Role.ARRAY):
        written = f"{row.name}[n]" if row.role == Role.ARRAY else row.name
        lead = f"`{written}`, of the probe's own types" if row.prototype == "@args" else \
            f"`{row.prototype} {written}`"
        found = [each for each in isa.VARIABLES if each.name == row.name]
        notes += [f"number 0x{row.number:x}", *_targets(target for each in found for target in each.targets)]
        notes += ["helpers may load it"] if any(each.helper for each in found) else []
    elif row.role == Role.POINTER:
        return ""
    else:
        lead = _code(signature(row.name, row.prototype))
        numbers = {target: number for each in isa.SUBROUTINES if each.name == row.name
                   for target, number in each.numbers.items()}
        if numbers:
            notes += _numbers(numbers)
            notes += ["helpers may call it"] if any(
                each.helper for each in isa.SUBROUTINES if each.name == row.name) else []
            notes += ["destructive"] if any(
                each.destructive for each in isa.SUBROUTINES if each.name == row.name) else []
    notes += [f"since D {'.'.join(map(str, row.since))}"] if row.since != _EARLIEST else []
    return "; ".join([lead, *notes, spell(row.stability)])


_RESULTS = {"_symaddr": "symbol", "_usymaddr": "symbol"}


def signature(name: str, prototype: str) -> str:
    """Return a prototype of the tables, with the name in it: `size_t strlen(const char *)`."""
    result, parenthesis, arguments = prototype.partition("(")
    glue = "" if result.endswith("*") else " "
    arguments = arguments.replace("@", "value")
    return f"{_RESULTS.get(result, result)}{glue}{name}{parenthesis}{arguments}"


def _targets(targets: Iterable[str]) -> list[str]:
    found = set(targets)
    return [f"only with target={found.pop()}"] if len(found) == 1 else []


def _numbers(numbers: dict[str, int]) -> list[str]:
    if len(numbers) == 1:
        target, number = next(iter(numbers.items()))
        return [f"number {number}", f"only with target={target}"]
    if len(set(numbers.values())) == 1:
        return [f"number {numbers['illumos']}"]
    return [f"number {numbers['illumos']} for illumos and {numbers['freebsd']} for FreeBSD"]


_WHEN = {Phase.COMPILE: "", Phase.RUNTIME: "", Phase.DYNAMIC: "may change while tracing, by `setopt()`",
         Phase.BOOT: "the machine's"}


def _option(row: Option) -> str:
    notes = [f"`-x {row.spelling}`", row.kind if row.kind != opts.Kind.CHOICE else ""]
    notes += [f"as `-{row.letter}`"] if row.letter else []
    default = opts.spelt_default(row)
    notes += [f"default {default}"] if default else []
    notes += ["command line only" if row.outside else "in programs, too", _WHEN[row.phase]]
    notes += ["without effect"] if row.reader == Reader.NOTHING else []
    notes += [f"of {row.origin}"] if row.origin else []
    return "; ".join(filter(None, notes))


def _opcode(row: isa.Opcode) -> str:
    notes = [f"`{row.name} {row.format}`".replace(" `", "`"), f"number {row.code}"]
    notes += [f"{row.size} byte{'s' * (row.size > 1)}"] if row.size else []
    notes += ["signed"] if row.signed else []
    notes += [f"{row.space} address"] if row.space else []
    notes += ["sets the condition codes"] if row.flags == isa.Flags.SET else []
    notes += ["goes by the condition codes"] if row.flags == isa.Flags.USE else []
    notes += ["faults if the divisor is 0"] if row.faults else []
    return "; ".join(notes)


# -- tables of reference -----------------------------------------------------------------------------------

def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") or _NO_CELL for cell in cells) + " |"

    return "\n".join([line(heads), "|" + "---|" * len(heads), *map(line, rows)])


def _code(text: str) -> str:
    marks = "``" if "`" in text else "`"
    return f"{marks}{text}{marks}" if text else ""


def _words(kind: str) -> Iterator[str]:
    return (word for word, each in known().items() if each == kind)


def _of_kind(kind: str) -> str:
    rows = []
    for word in sorted(_words(kind)):
        form, _, notes = facts(word).partition("; ")
        rows.append((f"[{_code(word)}](#{anchor(word)})", form, notes))
    return _table((kind, "form", ""), rows)


def anchor(word: str) -> str:
    """Return the name under which a page has the entry of a word."""
    kept = "".join(char if char.isalnum() or char == "_" else "-" for char in word.lower())
    return f"{known()[word].replace(' ', '-')}-{kept.strip('-')}"


def _opcodes() -> str:
    return _table(("number", "name", "operands", ""),
                  ((str(row.code), _code(row.name), _code(row.format),
                    "; ".join(_opcode(row).split("; ")[2:])) for row in isa.OPCODES.values()))


def _system_calls() -> str:
    from runtime.kernel.base.systemcalls import ROWS

    rows = []
    for line in ROWS.splitlines():
        name, amd64, i386, arm64, types, module = line.split("|")
        rows.append((_code(name), amd64, i386, arm64, _code(types), "" if module else "ENOSYS"))
    return _table(("call", "x86-64", "i386", "AArch64", "arguments", ""), rows)


def _kernel_functions() -> str:
    from runtime.kernel.base.kernelfunctions import KFUNCTIONS

    return _table(("module", "function", "result", "arguments"),
                  ((each.module, _code(each.name), _code(each.returns), _code(each.types))
                   for each in sorted(KFUNCTIONS.values(), key=lambda each: (each.module, each.name))
                   if each.returns != "long"))


def _sections() -> str:
    from dof import format as dof

    return _table(("number", "section", "loaded", "alignment", "entry", "fields"), (
        (str(row.number), _code(row.name), "yes" if row.loadable else "no", str(row.align),
         str(dof.size_of(row.entry)) if row.entry else "bytes",
         ", ".join(f"{name} {_type(kind)}" for name, kind in row.entry.__annotations__.items())
         if row.entry else "") for row in dof.SECTIONS.values()))


def _type(annotation: object) -> str:
    """The type of a field on disk, as the structures' annotations spell it, in lower case."""
    return str(getattr(annotation, "__forward_arg__", annotation)).lower()


def _header() -> str:
    from dof import format as dof

    sizes = {"u8": 1, "u32": 4, "u64": 8, "bytes4": 4, "bytes6": 6}
    rows, offset = [], 0
    for name, annotation in dof.Header.__annotations__.items():
        size = sizes[_type(annotation)]
        rows.append((str(offset), str(size), name.replace("_", " ")))
        offset += size
    return _table(("offset", "bytes", "field"), rows)


@functools.cache
def _machine() -> Machine:
    """A machine that has not booted, for the names of its probes."""
    from runtime.machine import Machine

    return Machine()


def probes_of(name: str) -> list[Probe]:
    """Return the probes of a provider of the kernel."""
    from dof.model import ProbeDesc

    provider = _machine().framework.registry.providers[name]
    provider.operations.provide(ProbeDesc(name, "", "", ""))
    return sorted(provider.probes.values(), key=lambda probe: (probe.name, probe.function, probe.module))


def _provider(name: str) -> Provider:
    return _machine().framework.registry.providers[name]


def _probes(name: str) -> str:
    """A row for each probe of a provider with its place and its typed arguments."""
    rows = []
    for probe in probes_of(name):
        given: list[str] = []
        while len(given) < 32:
            argument = _provider(name).operations.argdesc(probe, len(given))
            if argument is None:
                break
            given.append(f"`{argument.xlated or argument.native}`")
        place = f"{probe.module}`{probe.function}".strip("`")
        rows.append((_code(probe.name), _code(place), ", ".join(given)))
    return _table(("probe", "place", "args[]"), rows)


def _switches(name: str) -> str:
    """The command line of a command: a term for each switch."""
    if name == _CLICKS:
        return _click_switches()
    lines = []
    for section in command(name).sections:
        lines += [f"**{section.heading}**", ""] if section.heading else []
        for switch in section.switches:
            written, text = switch.row()
            lines += [f"`{written}`", f": {text}", ""]
    return "\n".join(lines)


def _click_switches() -> str:
    """The same of dtest, whose command line click takes apart."""
    import click

    from runtime.dtest.dtest import dtest

    lines = []
    with click.Context(dtest, **dtest.context_settings) as context:
        for parameter in dtest.get_params(context):
            row = parameter.get_help_record(context)
            # without the defaults in brackets, of which one is the host's number of processors
            lines += [f"`{row[0]}`", f": {row[1].partition('  [')[0] or '-'}", ""] if row else []
    return "\n".join(lines)


def command(name: str) -> Command:
    """Return the description of a command."""
    from dc.arguments import COMMAND as DC
    from dof.command import DIFAS, DIFDIS
    from runtime.command.arguments import COMMAND as DTRACE
    from runtime.command.sdtdtrace import COMMAND as SDT_DTRACE

    return {each.program: each for each in (DTRACE, DC, DIFAS, DIFDIS, SDT_DTRACE)}[name]


def _declaration(name: str) -> str:
    """The declaration of a stable structure, as the D libraries have it."""
    for path in sorted(glob.glob(os.path.join(ROOT, "dc", "lib", "*.d"))):
        with open(path, encoding="utf-8") as file:
            found = re.search(rf"^typedef struct[^}}]*}} {name};", file.read(), re.MULTILINE)
        if found:
            return f"```dtrace\n{found[0]}\n```"
    raise KeyError(name)


def _providers() -> str:
    return _table(("provider", "probes"), (
        (f"[{name}](#{anchor(f'{name} provider')})", str(len(probes_of(name))))
        for name in providers() if name not in _OF_PROCESSES))


_REFERENCES: dict[str, Callable[..., str]] = {
    "variables": lambda: _of_kind(Kind.VARIABLE), "subroutines": lambda: _of_kind(Kind.SUBROUTINE),
    "actions": lambda: _of_kind(Kind.ACTION), "aggregating": lambda: _of_kind(Kind.AGGREGATING),
    "options": lambda: _of_kind(Kind.OPTION), "opcodes": _opcodes, "systemcalls": _system_calls,
    "functions": _kernel_functions, "sections": _sections, "header": _header, "probes": _probes,
    "providers": _providers, "declaration": _declaration, "switches": _switches,
}


def reference(name: str, *arguments: str) -> str:
    """Return a table of reference as Markdown.  Raises KeyError for one that does not exist."""
    return _REFERENCES[name](*arguments)
