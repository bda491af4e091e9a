"""Probe descriptions as written → ProbeDesc.

A description has up to four fields, separated by colons.  If it has fewer, the
first ones are missing: "read:entry" has a function and a name.  By the options
-P, -m and -f a description ends with an earlier field.  Macro variables and
arguments may stand inside a field ("pid$target").
"""

from __future__ import annotations

from dc.characters import DIGITS, WORD, run_end
from dc.diagnostics import error
from dc.source.lexer import Macros
from dc.source.tree import ProbeSpec
from dof.model import ProbeDesc

FIELDS = ("provider", "module", "function", "name")
WIDTHS = (64, 64, 192, 64)  # DTRACE_*NAMELEN, the NUL included


class Specifier:
    """The field that a description ends with (DTRACE_PROBESPEC_*), by the option that gives it."""

    PROVIDER = 0  # -P
    MODULE = 1  # -m
    FUNCTION = 2  # -f
    NAME = 3  # -n, and programs


def describe(node: ProbeSpec, macros: Macros, specifier: int = Specifier.NAME,
             instances: bool = False) -> ProbeDesc:
    """The description that a probe specifier stands for; for a number only `id` is set.

    With `instances` there may be one field more, in front of the others: which instances are meant.
    Raises D_PDESC_INVAL.
    """
    if node.id is not None:
        if node.id > 0xFFFFFFFF:
            raise error("D_PDESC_INVAL", node.span, f"no probe has a number as large as {node.id}")
        if specifier != Specifier.NAME:
            raise error("D_PDESC_INVAL", node.span, f"{node.id} is the number of a probe, and a "
                        f"{FIELDS[specifier]} is to be named here")
        if not node.id:
            raise _invalid(node, "probes are numbered from 1")
        return ProbeDesc(id=node.id)
    fields = [""] * len(FIELDS)
    parts = node.text.split(":")
    instance = _expanded(parts.pop(0), node, macros) if instances and len(parts) == specifier + 2 else ""
    if len(parts) > specifier + 1:
        raise _invalid(node, f"no more than {specifier + 1} fields are possible")
    for index, part in enumerate(parts, specifier + 1 - len(parts)):
        fields[index] = _expanded(part, node, macros)
        if len(fields[index].encode(errors="surrogateescape")) >= WIDTHS[index]:
            raise _invalid(node, f"a {FIELDS[index]} may have {WIDTHS[index] - 1} bytes")
        if "]" not in fields[index].rpartition("[")[2] and "[" in fields[index]:
            raise _invalid(node, "a [ without its ]")
    provider, module, function, name = fields
    return ProbeDesc(provider, module, function, name, 0, instance)


def _expanded(text: str, node: ProbeSpec, macros: Macros) -> str:
    """A field with its macro variables and arguments replaced.  Raises D_PDESC_INVAL."""
    pieces, at = [], 0
    while (dollar := text.find("$", at)) >= 0:
        start = dollar + (2 if text.startswith("$$", dollar) else 1)
        end = run_end(text, start, DIGITS)
        end = end if end > start else run_end(text, start, WORD)
        pieces += [text[at:dollar], _value(text[start:end], node, macros)]
        at = end
    return "".join([*pieces, text[at:]])


def _value(name: str, node: ProbeSpec, macros: Macros) -> str:
    if name.isdigit():
        argument = macros.given(name)
        if argument is not None:
            return argument
    elif name in macros.variables:
        return str(macros.variables[name])
    raise _invalid(node, f"${name} is not defined", *macros.hints(name))


def _invalid(node: ProbeSpec, reason: str, *hints: str) -> Exception:
    return error("D_PDESC_INVAL", node.span, f'"{node.text}" is no probe description: {reason}', *hints)
