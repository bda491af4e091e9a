"""The types of programs' functions, for the compiler's args[]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dc.catalog import UNREACHABLE, Argument
from dc.types import Model, Type
from runtime.abi import places

if TYPE_CHECKING:
    from runtime.dwarf import DwarfTypes
    from runtime.providers.fasttrap.objects import Function, ObjectFile


class UserTypes:
    """The debug information of files, each read when first asked for."""

    def __init__(self) -> None:
        self._files: dict[str, DwarfTypes] = {}

    def of(self, file: ObjectFile) -> DwarfTypes:
        """The types of one file."""
        found = self._files.get(file.path)
        if found is None:
            from runtime.dwarf import DwarfTypes

            model = Model.LP64 if file.bits == 64 else Model.ILP32
            found = self._files[file.path] = DwarfTypes(file.debug_data, file.path.rpartition("/")[2], model)
        return found

    def arguments(self, file: ObjectFile, function: Function, probe: str) -> Sequence[Argument] | None:
        """args[] of a function's `entry` or `return` probe; None if nothing is known of it."""
        if "." in function.name:  # a clone, whose arguments the compiler has changed
            return None
        types = self.of(file)
        signature = types.signature(function.start)
        if signature is None:
            return None
        if probe == "return":
            offset = Argument(types.scope.basic("int"), "", 0)
            return [offset] if signature.returns.is_void() else [offset, _returned(signature.returns)]
        return [Argument(type_, "", where)
                for type_, where in zip(signature.parameters, places(signature, file.bits), strict=True)]


def _returned(type_: Type) -> Argument:
    return Argument(type_, "", 1 if type_.is_scalar() else UNREACHABLE)
