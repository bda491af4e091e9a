"""How the kernel's structures and variables lie in memory, as the compiler reads it from kernel.h."""

from __future__ import annotations

from collections.abc import Iterator

from dc.names.kernelheader import OBJECTS, kernel_header, placed
from dc.types.scopes import Scope
from dc.types.types import Record, Type
from runtime.kernel.objects.contents import Layout, Placed, Variable


def layout_of(scope: Scope, name: str) -> Layout:
    """Return the layout of a structure, with the members of its substructures; a union has its first member.

    Raises KeyError when the header does not declare it.
    """
    type_ = scope.lookup(name)
    if type_ is None:
        raise KeyError(name)
    return Layout(type_.size, tuple(_placed(type_, 0, "")))


def _placed(type_: Type, base: int, prefix: str) -> Iterator[Placed]:
    record = type_.resolve()
    assert isinstance(record, Record)
    for number, member in enumerate(record.members or ()):
        if record.keyword == "union" and number:
            return
        path, offset = prefix + (member.name or ""), base + member.byte
        if isinstance(member.type.resolve(), Record):
            yield from _placed(member.type, offset, f"{path}." if member.name else prefix)
        else:
            yield Placed(offset, member.type.size, path)


def variables(scope: Scope) -> list[Variable]:
    """Return the kernel's variables by ascending address, and then those that are objects."""
    found = [Variable(each.name, each.address, each.size, str(each.type))
             for each in placed(scope, kernel_header())]
    objects = ((name, scope.variable(name)) for name in OBJECTS)
    return found + [Variable(name, None, type_.size, str(type_)) for name, type_ in objects if type_]
