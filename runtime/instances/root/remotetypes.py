"""Symbols and types of instances, asked for when they are needed.

The kernel's types are this version's own, whose hash each instance has told, or come as CTF from an instance
that has others.  A symbol is asked for once; the debug information of programs comes as the bytes of their
files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial

from dc.names.catalog import Symbol as NamedSymbol
from dc.names.kernelheader import kernel_header, kernel_types
from dc.types.types import Function as FunctionType
from dof.elf import ElfError, ElfFile
from dof.model import ProbeDesc
from runtime.consumer.events.symbols import Mapped, Symbol
from runtime.instances.roster.paths import shown
from runtime.instances.wire.addresses import is_marked, unmarked
from runtime.instances.wire.frames import EVERY
from runtime.instances.wire.verbs import Verb
from runtime.programs.debugfiles import separate, shared
from runtime.programs.objectfile import Function, LoadObject, ObjectFile

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from dc.names.catalog import Argument, ProbeInfo
    from dc.types.scopes import Scope
    from dc.types.types import Type
    from runtime.programs.usertypes import UserTypes

    class Did(Protocol):
        def __call__(self, verb: Verb, *arguments: object, instance: int = 0) -> object: ...

    class Do(Protocol):
        def __call__(self, verb: Verb, *arguments: object, instance: int = 0) -> bytes: ...


_INSTANCE = 32  # bits of a process's number, above which its instance's is


class RemoteSymbols:
    """runtime.consumer.events.symbols.Symbols; each address is asked for once while `lasting`."""

    def __init__(self, did: Did) -> None:
        self._did = did
        self._known: dict[tuple[int, ...], Symbol | Mapped | None] = {}
        self._owned: dict[tuple[int, int], tuple[Symbol, Mapped]] = {}

    def _ask(self, verb: Verb, *arguments: int) -> list[object] | None:
        instance = 0 if verb in (Verb.KERNEL_SYMBOL, Verb.KERNEL_MODULE) else EVERY
        try:
            found = self._did(verb, *arguments, instance=instance)
        except OSError:
            return None
        return found if isinstance(found, list) else None

    def _symbol(self, verb: Verb, *arguments: int) -> Symbol | None:
        key = verb, *arguments
        if key not in self._known:
            match self._ask(verb, *arguments):
                case [str(where), str(name), int(value), int(size)]:
                    self._known[key] = Symbol(shown(where), shown(name), value, size)
                case _:
                    self._known[key] = None
        found = self._known[key]
        return found if isinstance(found, Symbol) else None

    def _mapped(self, verb: Verb, *arguments: int) -> Mapped | None:
        key = verb, *arguments
        if key not in self._known:
            match self._ask(verb, *arguments):
                case [str(where), int(start), bool(writable)]:
                    self._known[key] = Mapped(shown(where), start, writable)
                case _:
                    self._known[key] = None
        found = self._known[key]
        return found if isinstance(found, Mapped) else None

    def _own(self, address: int) -> tuple[Symbol, Mapped]:
        """What one instance says of an address of its kernel alone: names have its path in front."""
        key = Verb.ADDRESS, address
        if key not in self._owned:
            found = self._ask(Verb.ADDRESS, address)
            path, real = "?", unmarked(address)
            symbol, mapped = Symbol(path, f"{real:#x}", address), Mapped(path, address)
            match found:
                case [str(path), int(real), told, held]:
                    path = shown(path)
                    symbol = Symbol(path, f"{real:#x}", address, 1)
                    mapped = Mapped(f"{path}`{real:#x}", address)
                    match told:
                        case [str(where), str(name), int(value), int(size)]:
                            value += address - real
                            symbol = Symbol(f"{path}:{shown(where)}", shown(name), value, size)
                    match held:
                        case [str(where), int(start), bool(writable)]:
                            mapped = Mapped(f"{path}:{shown(where)}", address - real + start, writable)
            self._owned[key] = symbol, mapped
        return self._owned[key]

    def kernel(self, address: int) -> Symbol | None:
        if is_marked(address):
            return self._own(address)[0]
        return self._symbol(Verb.KERNEL_SYMBOL, address)

    def kernel_module(self, address: int) -> Mapped | None:
        if is_marked(address):
            return self._own(address)[1]
        return self._mapped(Verb.KERNEL_MODULE, address)

    def user(self, pid: int, address: int) -> Symbol | None:
        return self._symbol(Verb.USER_SYMBOL, pid, address)

    def user_mapping(self, pid: int, address: int) -> Mapped | None:
        return self._mapped(Verb.USER_MAPPING, pid, address)


class RemoteSystem:
    """What a compiler and renderers ask (runtime.consumer.system.System).

    `first` is the instance of whose kernel the symbols and `types` are.  `meant` returns the instances that a
    pattern means, `owner` the one that has a probe.
    """

    patient = False  # instances are to be seen to live

    def __init__(self, did: Did, do: Do, meant: Callable[[str], Sequence[int]],
                 owner: Callable[[int], int], first: int = 0, types: Scope | None = None) -> None:
        self._did, self._do, self._meant, self._owner = did, do, meant, owner
        self._first = first
        self.symbols = RemoteSymbols(did)
        self._files: dict[tuple[int, str], ObjectFile | None] = {}
        self._targets: list[int] = []
        self.types = types if types is not None else kernel_types(kernel_header())
        self.types.others = self._program_types

    @property
    def names(self) -> RemoteSystem:
        return self

    def target(self, pid: int, instance: int) -> None:
        """A process is traced: D may name its types."""
        target = instance << _INSTANCE | pid
        if target not in self._targets:
            self._targets.append(target)

    def named(self, module: str | None, name: str) -> NamedSymbol | None:
        """A kernel symbol of the host (runtime.consumer.system.KernelNames)."""
        match self._did(Verb.NAMED, module, name, instance=self._first):
            case [str(name), str(where), int(address), int(size), is_function]:
                type_: Type | str | None = self.types.pointer(FunctionType(self.types.basic("int"))) \
                    if is_function else self.types.variable(name)
                return NamedSymbol(name, where, address, size, type_ or "")
        return None

    @staticmethod
    def relieve(wanted: bool) -> None:
        """No instance waits for its reader: what it has no room for is lost, and counted."""

    @staticmethod
    def absent(address: int) -> bool:
        """No frame asks an instance for that."""
        return False

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        match self._did(Verb.MISTAKE, *description[:4], instance=self._meant(description.instance)[0]):
            case [str(tag), str(text)]:
                return tag, text
        return None

    # -- types of programs -------------------------------------------------------------------------------

    @cached_property
    def _user_types(self) -> UserTypes:
        from runtime.programs.usertypes import UserTypes

        return UserTypes(self._objects_of)

    def _program_types(self, module: str) -> Scope | None:
        if not self._targets and not module.startswith("pid"):
            return None
        return self._user_types.scope(module, self._targets)

    def _read(self, instance: int, path: str) -> bytes | None:
        try:
            return self._do(Verb.FILE, path, instance=instance) or None
        except OSError:
            return None

    def _file(self, instance: int, path: str) -> ObjectFile | None:
        """An ELF file of an instance; None for what is none."""
        key = instance, path
        if key not in self._files:
            self._files[key] = None
            read = partial(self._read, instance)
            data = read(path)
            with suppress(ElfError, ValueError):
                if data:
                    elf = ElfFile(data)
                    debug = separate(elf, path, read)
                    holder = elf if debug is None else ElfFile(debug)
                    self._files[key] = ObjectFile(path, data, debug, shared(holder, path, read), read)
        return self._files[key]

    def _objects_of(self, target: int, module: str) -> Sequence[LoadObject]:
        """The load objects of a process; `target` has its instance above its number."""
        instance, pid = target >> _INSTANCE, target & (1 << _INSTANCE) - 1
        try:
            found = self._did(Verb.OBJECTS, pid, module, instance=instance)
        except OSError:
            raise ProcessLookupError(pid) from None
        objects = []
        for each in found if isinstance(found, list) else []:
            path, name, bias, is_program = each
            file = self._file(instance, str(path))
            if file is not None:
                objects.append(LoadObject(file, str(name), int(bias), bool(is_program)))
        return objects

    def user_arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        if probe.name not in ("entry", "return"):
            return None
        instance = self._owner(probe.id)
        match self._did(Verb.FUNCTION, probe.provider, probe.module, probe.function, instance=instance):
            case [str(path), str(name), int(start), int(size)]:
                file = self._file(instance, path)
                if file is not None:
                    return self._user_types.arguments(file, Function(name, start, size), probe.name)
        return None

    def user_type(self, probe: ProbeInfo, name: str) -> Type | None:
        instance = self._owner(probe.id)
        path = self._did(Verb.OBJECT, probe.provider, probe.module, instance=instance)
        file = self._file(instance, path) if isinstance(path, str) else None
        return self._user_types.of(file).scope.lookup(f"userland {name}") if file is not None else None
