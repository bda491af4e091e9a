"""What the USDT tests share: a C program whose probe calls take every form, and the way to build it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from dif.elfnumbers import EM_AARCH64
from dof.elf import ElfFile
from dof.usdt import header, link, reading
from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition

INT = Argument("int", "a", 4, signed=True)
TEXT = Argument("char *", "s", 8)
LONG = Argument("long", "", 8, signed=True)

MAIN = """
#include <stdio.h>
#include <string.h>
#include "prov.h"
extern void other(int);
extern int weakly(int);
int hits_hit, hits_many, hits_both, hits_done;
#define HIT(a, s) do { hits_hit++; PROV_HIT(a, s); } while (0)
static __attribute__((noinline)) int same_name(int a) { HIT(a, "static in main"); return a + 1; }
__attribute__((noinline)) void tail(int a, char *s) { hits_hit++; PROV_HIT(a, s); }
__attribute__((noinline)) void tail_many(long a, long b, long c, long d, long e, long f, long g, long h)
{ hits_many++; PROV_MANY(a, b, c, d, e, f, g, h); }
__attribute__((noinline)) int enabled_tail(void) { return PROV_HIT_ENABLED(); }
__attribute__((noinline)) void several(int n)
{
	int i;
	for (i = 0; i < n; i++) {
		if (PROV_HIT_ENABLED() || n > 1000)
			HIT(i, "enabled");
		HIT(i, "loop");
		hits_many++; PROV_MANY(1, 2, 3, 4, 5, 6, 7, i);
		hits_both++; PROV_BOTH();
		hits_both++; SECOND_BOTH(i);
	}
	HIT(n, "end");
}
int main(void)
{
	several(3);
	tail(2, "tail");
	tail_many(1, 2, 3, 4, 5, 6, 7, 8);
	other(same_name(4));
	weakly(5);
	hits_done++; PROV_DASHED_NAME();
	printf("%d %d %d %d %d\\n", hits_hit, hits_many, hits_both, hits_done, enabled_tail());
	return 0;
}
"""
OTHER = """
#include "prov.h"
extern int hits_hit, hits_both;
static __attribute__((noinline)) int same_name(int a) { hits_hit++; PROV_HIT(a, "static"); return a; }
void other(int a) { same_name(a); hits_both++; PROV_BOTH(); }
__attribute__((weak, noinline)) int weakly(int a) { hits_hit++; PROV_HIT(a, "weak"); return a; }
"""
OUTPUT = "8 4 7 1 0\n"
# Calls that fire, by probe: what MAIN's counters end at.
COUNTS = {"hit": 8, "many": 4, "both": 7, "dashed-name": 1}


def providers(word: int = 8) -> list[ProviderDefinition]:
    """The provider file of the test program, as the D compiler would define it."""
    text, long = TEXT._replace(size=word), LONG._replace(size=word)
    return [
        ProviderDefinition("prov", [
            ProbeDefinition("hit", [INT, text], [text._replace(type="string"), INT]),
            ProbeDefinition("many", [long] * 8),
            ProbeDefinition("both"),
            ProbeDefinition("dashed-name"),
        ]),
        ProviderDefinition("second", [ProbeDefinition("both", [INT])]),
    ]


@dataclass
class Toolchain:
    """A compiler with flags, building in a directory of its own."""

    directory: Path
    compiler: list[str]
    providers: list[ProviderDefinition] = field(default_factory=providers)

    def path(self, name: str) -> str:
        return str(self.directory / name)

    def header(self) -> None:
        (self.directory / "prov.h").write_text(header.generate(self.providers, "prov.h"))

    def compile(self, name: str, text: str, *flags: str) -> str:
        """Compile `text` to an object; returns its path."""
        source = self.directory / name
        source.write_text(text)
        target = str(source.with_suffix(".o"))
        self.run(*self.compiler, *flags, "-c", str(source), "-o", target)
        return target

    def link_probes(self, *objects: str, **options: object) -> str:
        """`dtrace -G`; returns the generated object's path."""
        output = self.path("prov.o")
        link.link(self.providers, list(objects), output, **options)  # type: ignore[arg-type]
        return output

    def program(self, *objects: str, flags: tuple[str, ...] = (), name: str = "prog") -> str:
        self.run(*self.compiler, *objects, *flags, "-o", self.path(name))
        return self.path(name)

    @staticmethod
    def run(*command: str, **options: object) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload]
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout


def code_at(elf: ElfFile, address: int, size: int) -> bytes:
    """Bytes of an executable's or library's memory image."""
    for segment in elf.segments():
        if segment.type == 1 and segment.address <= address < segment.address + segment.size:
            at = segment.offset + address - segment.address
            return elf.data[at:at + size]
    raise AssertionError(f"no code at {address:#x}")


def check_sites(path: str) -> dict[str, int]:
    """Every site of the file is an instruction that does nothing (or returns); sites by provider:name."""
    with open(path, "rb") as file:
        elf = ElfFile(file.read())
    found: dict[str, int] = {}
    for probe in reading.from_dof(elf):
        for site in probe.sites:
            if elf.machine == EM_AARCH64:
                assert code_at(elf, site, 4) in (b"\x1f\x20\x03\xd5", b"\xc0\x03\x5f\xd6")  # nop, ret
            else:
                assert code_at(elf, site, 1) in (b"\x90", b"\xc3")
        for site in probe.enabled_sites:
            if elf.machine == EM_AARCH64:
                assert code_at(elf, site, 4) == b"\x00\x00\x80\xd2"  # mov x0, #0
            else:
                assert code_at(elf, site - 2, 2) == b"\x33\xc0"  # xor
                assert code_at(elf, site, 1) in (b"\x90", b"\xc3")
        key = f"{probe.provider}:{probe.name}"
        found[key] = found.get(key, 0) + len(probe.sites)
    return found
