"""The types of programs, for the compiler: args[] of their functions, and what D programs name.

In D, `pid101` is a process, `pid` the one that is traced ($target), and a.out, libc or libc.so.6 is an
object of a traced process: (a.out`order_t *)arg0, sizeof (struct pid101`order), (pid`libm.so.6`fenv_t *)p.
A structure that the kernel does not have needs no such name: (struct order *)arg0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from dc.names.catalog import Argument
from dc.types.scopes import Scope
from dc.types.types import Function as DFunction
from dc.types.types import Model, Type
from dif.limits import DEBUG_DEPTH, DEBUG_INFORMATION
from runtime.programs import golang
from runtime.programs.abi import NOWHERE, Place, places, returned

if TYPE_CHECKING:
    from runtime.programs.objectfile import Function, LoadObject, ObjectFile

ObjectsOf = Callable[[int, str], Sequence["LoadObject"]]  # as FasttrapModule.objects_of
PROCESS = "pid"
DWARF, COMPACT = ".debug_info", (".ctf", ".SUNW_ctf")  # sections


class FileTypes(Protocol):
    """The types of one file."""

    scope: Scope
    problem: str  # why types are unknown although the file has some: it is too large

    def signature(self, address: int) -> DFunction | None:
        """The type of the function that begins at `address`, as the file counts; None if unknown."""
        ...


class UserTypes:
    """The debug information of files, each read when first asked for."""

    def __init__(self, objects_of: ObjectsOf, most: int = DEBUG_INFORMATION,
                 deepest: int = DEBUG_DEPTH) -> None:
        self._objects_of = objects_of
        self._most = most  # bytes of it, for each file
        self._deepest = deepest  # namespaces and classes within one another
        self._files: dict[str, FileTypes] = {}
        self._processes: dict[int, Scope | None] = {}

    def of(self, file: ObjectFile) -> FileTypes:
        """The types of one file."""
        found = self._files.get(file.path)
        if found is None:
            found = self._files[file.path] = _read(file, self._most, self._deepest)
        return found

    def problems(self) -> list[str]:
        """A line for each file whose types are unknown because it has too many of them."""
        return [f"types of {path} are unknown: {types.problem}"
                for path, types in self._files.items() if types.problem]

    def arguments(self, file: ObjectFile, function: Function, probe: str) -> Sequence[Argument] | None:
        """args[] of a function's `entry` or `return` probe; None if nothing is known of it."""
        if "." in function.name and function.go is None:  # a clone, whose arguments the compiler has changed
            return None
        types = self.of(file)
        signature = types.signature(function.start)
        if signature is None:
            return None
        if probe == "return":
            offset = Argument(types.scope.basic("int"), "", 0)
            if signature.returns.is_void():
                return [offset]
            result = returned(signature.returns, file.bits, file.elf.machine)
            if function.go is not None and not (function.go and signature.returns.is_scalar()):
                result = NOWHERE  # in places of Go's own
            return [offset, Argument(signature.returns, "", *result)]
        where = places(signature, file.bits, file.elf.machine) if function.go is None else \
            [Place(at) for at in golang.places(signature, file.bits, function.go)]
        return [Argument(type_, "", *at) for type_, at in zip(signature.parameters, where, strict=True)]

    def scope(self, module: str, targets: Sequence[int]) -> Scope | None:
        """The scope that D calls `module`; "" is the first target's program.  None if there is none."""
        if module.startswith(PROCESS) and module[len(PROCESS):].isdigit():
            return self._process(int(module[len(PROCESS):]))
        if not targets or module == PROCESS:
            return self._process(targets[0]) if targets else None
        for pid in targets:
            found = self._object(pid, module or "a.out")
            if found is not None:
                return found
        return None

    def _object(self, pid: int, module: str) -> Scope | None:
        try:
            found = self._objects_of(pid, module)
        except ProcessLookupError:
            return None
        return self.of(found[0].file).scope if found else None

    def _process(self, pid: int) -> Scope | None:
        if pid not in self._processes:
            program = self._object(pid, "a.out")
            self._processes[pid] = None if program is None else _ProcessTypes(self, pid, program.model).scope
        return self._processes[pid]

    def of_process(self, pid: int, key: str) -> Type | None:
        """The type that the first of the objects with debug information of their own has."""
        for each in self._objects_of(pid, ""):
            if any(map(each.file.elf.section, (DWARF, *COMPACT))):
                found = self.of(each.file).scope.own(key)
                if found is not None:
                    return found
        return None


class _ProcessTypes:
    """Finds the types of a process for its scope."""

    def __init__(self, types: UserTypes, pid: int, model: int) -> None:
        self._types, self._pid = types, pid
        self.scope = Scope(model, Scope.intrinsic(model), f"{PROCESS}{pid}")
        self.scope.loader = self
        self.scope.others = lambda module: types.scope(module, [pid]) if module else None

    def load_type(self, key: str) -> None:
        found = self._types.of_process(self._pid, key)
        if found is not None:
            self.scope.types[key] = found

    def load_value(self, name: str) -> None:
        """Enumerators and variables of programs are not D's to name."""

    def words(self) -> set[str]:
        """The names of the program's own types."""
        program = self.scope.module("a.out")
        return program.loader.words() if program is not None and program.loader is not None else set()


def _read(file: ObjectFile, most: int, deepest: int) -> FileTypes:
    model, elf = Model.LP64 if file.bits == 64 else Model.ILP32, file.elf
    if elf.section(DWARF) is None and any(map(elf.section, COMPACT)):
        from runtime.programs.ctf import CtfTypes

        return CtfTypes(elf, file.path.rpartition("/")[2], model, most)
    from runtime.programs.dwarf import DwarfTypes

    return DwarfTypes(file.debug_data, file.path, model, file.shared_debug_data, file.read_beside, most,
                      deepest)
