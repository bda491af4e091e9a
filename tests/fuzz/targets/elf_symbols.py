"""ELF files as the machine and the commands meet them: symbols, functions, bindings, static probes."""

from __future__ import annotations

from dof.elf import ElfError
from dof.format import DofError
from dof.usdt.reading import from_dof, from_notes
from runtime.programs.objectfile import ObjectFile
from runtime.programs.symboltable import SymbolTable
from tests.fuzz import layouts
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed

ADDRESSES = (0, 0x1000, 0x401000, 1 << 63)


def run(data: bytes) -> object:
    symbols = SymbolTable("/p", data, lambda _path: None)
    for address in ADDRESSES:
        symbols.find(address)
    file = ObjectFile("/p", data, None)
    functions = file.functions
    for each in functions[:5]:
        file.code(each.start, each.size)
        file.function_at(each.start)
        file.described(each.start)
    for address in ADDRESSES:
        file.address_at(address), file.symbol_address("data")
    found = len(file.indirect), len(file.bindings.by_name), len(file.by_name)
    return found, len(symbols.entries), len(from_dof(file.elf)), len(from_notes(file.elf))


def target() -> Target:
    return Target(run, (ElfError, DofError), mixed((6, fields(layouts.elf)), (1, blind)))
