"""Shows what the compiler found: declared types (`dc --emit types`), programs as data (`--emit json`)."""

from __future__ import annotations

from collections.abc import Iterator

from dc import stability
from dc.names.identifiers import Inline, Variable
from dc.types.types import Enum, Record, Type
from dof.model import ACTION_NAMES

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import Compiler, CompileResult
    from dif.difo import Difo


def declared_types(session: Compiler, results: list[CompileResult]) -> str:
    """Variables and aggregations with their types, then the program's own types with their layout."""
    lines = []
    names = session.names
    for prefix, table in (("", names.globals), ("self->", names.thread), ("this->", names.locals)):
        for name, known in sorted(table.items()):
            if isinstance(known, Variable) and known.builtin is None and known.type is not None:
                keys = f"[{', '.join(map(str, known.keys))}]" if known.keys is not None else ""
                lines.append(f"{known.type.spell(prefix + name + keys)};  // variable {known.id}")
            elif isinstance(known, Inline) and not known.body.span.file:
                lines.append(f"inline {known.type.spell(name)};")
    for result in results:
        lines += [f"@{name};  // aggregation {number}"
                  for number, name in sorted(result.aggregations.items())]
    for key, type_ in session.scope.types.items():
        lines += _layout(key, type_)
    return "\n".join(dict.fromkeys(lines)) + "\n"


def _layout(key: str, type_: Type) -> Iterator[str]:
    if isinstance(type_, Record):
        yield f"{key};  // {type_.size} bytes, aligned to {type_.align}"
        for member in type_.members or ():
            where = str(member.byte)
            if member.type.is_bitfield():
                where = f"{member.unit}, bit {member.shift}"
            yield f"    {member.type.spell(member.name or '')};  // at {where}"
    elif isinstance(type_, Enum):
        yield f"{key};  // {', '.join(f'{name} = {value}' for name, value in (type_.values or {}).items())}"
    else:
        target = getattr(type_, "target", type_)
        yield f"typedef {target.spell(key)};"


def described(result: CompileResult) -> dict[str, object]:
    """A compiled program as data for JSON: its options, aggregations and clauses with their DIF."""
    return {
        "options": dict(result.program.options),
        "aggregations": {str(number): name for number, name in result.aggregations.items()},
        "clauses": [{
            "probe": str(ecb.probe),
            "line": info.span.line,
            "stability": {"probe": stability.spell(info.context),
                          "statements": stability.spell(info.attributes)},
            "predicate": _object(ecb.predicate),
            "actions": [{"kind": ACTION_NAMES[action.kind], "arg": action.arg, "uarg": action.uarg,
                         "ntuple": action.ntuple, "string": action.string, "dif": _object(action.difo)}
                        for action in ecb.actions],
        } for ecb, info in zip(result.program.ecbs, result.clauses, strict=True)],
    }


def _object(difo: Difo | None) -> dict[str, object] | None:
    if difo is None:
        return None
    from dif.disassembler import instruction

    return {
        "text": [instruction(word, difo) for word in difo.text],
        "returns": {"kind": difo.rtype.kind, "ckind": difo.rtype.ckind, "flags": difo.rtype.flags,
                    "size": difo.rtype.size},
        "variables": [{"name": each.name, "id": each.id, "kind": each.kind, "scope": each.scope}
                      for each in difo.vartab],
    }
