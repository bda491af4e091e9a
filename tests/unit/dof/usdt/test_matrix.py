"""Compilers and flags: the sites DOF tells of are real, and the program links and runs."""

from __future__ import annotations

import sys
from pathlib import Path

import arm64
import compilers
import pytest
from usdt_programs import MAIN, OTHER, OUTPUT, Toolchain, check_sites, providers

from dof.elf import ElfFile
from dof.usdt import reading

NATIVE, MULTILIB, I686, AARCH64 = compilers.HOST, "i386", "i686", "aarch64"

# machine, flags for compiling, flags for linking
MATRIX = [
    (NATIVE, "-O0", ""),
    (NATIVE, "-O1", ""),
    (NATIVE, "-O2 -g -fpie", "-pie -Wl,-z,relro,-z,now"),
    (NATIVE, "-O3 -fPIC", "-Wl,--as-needed"),
    (NATIVE, "-Os -fno-pie", "-no-pie"),
    (NATIVE, "-O2 -fno-plt", ""),
    (NATIVE, "-O2 -fno-plt -fPIC", "-Wl,-z,now"),
    (NATIVE, "-O2 -ffunction-sections -fdata-sections", "-Wl,--gc-sections"),
    (NATIVE, "-O2 -fcf-protection=full", ""),
    (NATIVE, "-O2 -fcf-protection=none -fomit-frame-pointer", ""),
    (NATIVE, "-O2 -mcmodel=large -fno-pie", "-no-pie"),
    (NATIVE, "-O2", "-static"),
    (NATIVE, "-O2", "-static-pie"),
    (NATIVE, "-O2", "-fuse-ld=gold -Wl,--gc-sections"),
    (NATIVE, "-O2", "-s"),
    (MULTILIB, "-O0", ""),
    (MULTILIB, "-O2 -fno-pie", "-no-pie"),
    (MULTILIB, "-O2 -fPIC", ""),
    (MULTILIB, "-O3 -fno-plt -fPIC", "-Wl,-z,now"),
    (MULTILIB, "-O2 -fno-plt -fno-pie", "-no-pie -Wl,--gc-sections"),
    (MULTILIB, "-O2", "-static"),
    (I686, "-O2", "-static"),
    (AARCH64, "-O0", "-static"),
    (AARCH64, "-O2", "-static -Wl,--gc-sections"),
    (AARCH64, "-O2 -fPIC -fno-plt", "-static-pie"),
    (AARCH64, "-Os -mbranch-protection=standard", "-static"),
]
# A header that does not hide its functions, as other toolchains generate: calls go through the GOT.
PLAIN = "-D_DTRACE_PROBE="


@pytest.mark.parametrize("plain", [False, True], ids=["hidden", "plain"])
@pytest.mark.parametrize(("machine", "flags", "linking"), MATRIX, ids=[" ".join(row) for row in MATRIX])
def test_sites_are_real_and_the_program_runs(tmp_path: Path, machine: str, flags: str, linking: str,
                                             plain: bool) -> None:
    compiler = compilers.compiler(machine)
    if compiler is None:
        pytest.skip(f"no compiler for {machine}: -G with its objects")
    tools = Toolchain(tmp_path, [*compiler.command, *flags.split()], providers(compiler.bits // 8))
    tools.header()
    if plain:
        text = (tmp_path / "prov.h").read_text()
        (tmp_path / "prov.h").write_text(text.replace(' __attribute__((visibility("hidden")))', ""))
    objects = [tools.compile("main.c", MAIN), tools.compile("other.c", OTHER)]
    generated = tools.link_probes(*objects)
    program = tools.program(*objects, generated, flags=tuple(linking.split()))
    if compilers.runs(machine):
        assert tools.run(program) == OUTPUT
    elif machine == AARCH64:
        assert arm64.run(program) == (0, OUTPUT)
    else:
        command = [sys.executable, "-m", "runtime.command", "-qn", "BEGIN{}", "-c", program]
        assert tools.run(*command) == f"{OUTPUT}\n"  # dtrace ends with an empty line
    sites = check_sites(program)
    assert set(sites) == {"prov:hit", "prov:many", "prov:both", "prov:dashed-name", "second:both"}
    assert sites["prov:hit"] >= 5 and sites["prov:many"] >= 2  # one for each function, at least
    with open(program, "rb") as file:
        elf = ElfFile(file.read())
    noted = sorted(site for probe in reading.from_notes(elf) for site in probe.sites)
    assert noted == sorted(site for probe in reading.from_dof(elf) for site in probe.sites)
