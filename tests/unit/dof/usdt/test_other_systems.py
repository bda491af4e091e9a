"""Programs and libraries for illumos and FreeBSD, by the linkers there are, with a C library of stubs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import compilers
import pytest
import zigcc
from usdt_programs import MAIN, OTHER, Toolchain, check_sites, code_at, providers

from dof import command
from dof.elf import ElfFile
from dof.usdt import reading

# What the program and -G's object take from the system: names, and nothing that runs.
LIBC = "\n".join(f"void {name}(void) {{}}" for name in (
    "open", "close", "ioctl", "write", "getenv", "getpid", "dladdr", "printf", "exit", "__stack_chk_fail"))
START = "int main(void); void exit(int); void _start(void) { exit(main()); }\n"
LOADERS = {"illumos": "/usr/lib/ld.so.1", "freebsd": "/libexec/ld-elf.so.1"}
EMULATIONS = {"x86-64": "elf_x86_64", "i386": "elf_i386", "aarch64": "aarch64linux"}
CROSS = {"x86-64": "x86_64-linux-gnu-", "i386": "x86_64-linux-gnu-", "aarch64": "aarch64-linux-gnu-"}
KINDS = {"program": ["--gc-sections"], "pie": ["-pie", "-z", "now"], "library": ["-shared", "-Bsymbolic"]}
SHT_SUNW_DOF, SHT_REL, SHT_RELA, PT_LOAD = 0x6FFFFFF4, 9, 4, 1


def linkers(machine: str) -> dict[str, list[str]]:
    """The linkers there are for a machine, by name."""
    prefix = "" if compilers.runs(machine) else CROSS[machine]
    found = {name: [path] for name in ("ld.bfd", "ld.gold") if (path := shutil.which(prefix + name))}
    if (zig := zigcc.zig()) is not None:
        found["ld.lld"] = [zig, "ld.lld"]
    return found


@pytest.mark.parametrize(("system", "machine"), [
    ("illumos", "x86-64"), ("illumos", "i386"), ("freebsd", "x86-64"), ("freebsd", "aarch64")])
def test_linked(system: str, machine: str, tmp_path: Path,
                capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever links it: the DOF is loaded with the file, complete there, and true of its code."""
    compiler = compilers.compiler(machine)
    if compiler is None or not linkers(machine):
        pytest.skip(f"no compiler or linker for {machine}: programs for {system}")
    tools = Toolchain(tmp_path, [*compiler.command, "-O2", "-fPIC", "-fno-builtin", "-w"],
                      providers(compiler.bits // 8))
    tools.header()
    part, other, libc, start = (tools.compile(f"{name}.c", text) for name, text in (
        ("main", MAIN), ("other", OTHER), ("libc", LIBC), ("start", START)))
    generated = tools.link_probes(part, other, target=system)
    for name, linker in linkers(machine).items():
        link = [*linker, "-m", EMULATIONS[machine]]
        tools.run(*link, "-shared", "-soname", "libc.so.1", libc, "-o", tools.path("libc.so"))
        for kind, flags in KINDS.items():
            path = tools.path(f"{kind}-{name}")
            tools.run(*link, *flags, "-dynamic-linker", LOADERS[system], start, part, other, generated,
                      tools.path("libc.so"), "-o", path)
            check(path, capfd)


def check(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    elf = ElfFile(Path(path).read_bytes())
    section = elf.section(".SUNW_dof")
    assert section is not None and section.type == SHT_SUNW_DOF
    # In a segment that is loaded, and no work is left there for the program's start.
    last = section.address + section.size
    assert any(each.type == PT_LOAD and each.address <= section.address and last <= each.address + each.size
               for each in elf.segments())
    assert code_at(elf, section.address, section.size) == elf.contents(section)
    places = [each.offset for table in elf.sections if table.type in (SHT_REL, SHT_RELA)
              for each in elf.relocations(table)]
    assert places and not any(section.address <= place < last for place in places)
    # What the DOF tells is there.
    assert set(check_sites(path)) == {"prov:hit", "prov:many", "prov:both", "prov:dashed-name", "second:both"}
    table = elf.symbol_table()
    assert table is not None
    functions = {each.name.decode(): (each.value, each.value + each.size) for each in elf.symbols(table)}
    for probe in reading.from_dof(elf):
        if probe.function in ("several", "other", "main"):  # one function each, and no call at its end
            first, end = functions[probe.function]
            assert all(first <= site < end for site in (*probe.sites, *probe.enabled_sites))
    # difdis finds it, and says where.
    assert command.disassemble_main(["--json", path]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["offset"] == section.offset
    assert told["place"] == f"section {section.index} .SUNW_dof offset 0x0"
