"""Functions that are looked for by name are those that are found when all of a file's are made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from runtime.programs import objectfile
from runtime.programs.objectfile import ObjectFile

SOURCES = {
    "one.c": """
static int twin(int a) { return a + 1; }
int one(int a) { return twin(a); }
int alias(int a) __attribute__((alias("one")));
int __weak_name(int a) __attribute__((weak, alias("one")));
int reached(void);
__attribute__((noinline, cold)) void rare(void) { __asm__ volatile(""); }
__attribute__((noinline)) int hot(int a) { if (__builtin_expect(a == 77, 0)) { rare(); rare(); } return a; }
__asm__(".globl unsized, after\\n.type unsized, @function\\nunsized: nop\\nnop\\nret\\n"
        ".type after, @function\\nafter: ret\\n.size after, 1\\n");
static int chosen(int a) { return a; }
static void *resolver(void) { return chosen; }
int indirect(int a) __attribute__((ifunc("resolver")));
int main(int count, char **words) { (void)words; return one(count) + reached() + hot(count) + indirect(1); }
""",
    "two.c": """
static int __attribute__((noinline)) twin(int a) { __asm__ volatile(""); return a + 2; }
int reached(void) { return twin(1); }
""",
}


# with a table of dynamic symbols beside that of all, and without
@pytest.fixture(scope="module", params=["", "-nostdlib -static -Wl,-e,main"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    flags = ["-O2", "-fno-inline", "-freorder-blocks-and-partition", "-o", "program", *request.param.split()]
    subprocess.run(["gcc", *flags, *SOURCES], cwd=folder, check=True)
    return folder / "program"


def functions(path: Path) -> ObjectFile:
    return ObjectFile(str(path), path.read_bytes(), None)


def test_each_name_means_the_same_functions(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = functions(program)
    names = [*everything.by_name, *(name for each in everything.indirect for name in each.names),
             "nothing", "win", "ne", "hot.cold", "unsized", "a\ufffdb", ""]
    assert {"twin", "alias", "__weak_name", "indirect", "main"} <= set(names)
    for name in names:
        one = functions(program)
        assert repr(one.named(name)) == repr(everything.by_name.get(name, []))
        resolvers = [each for each in everything.indirect if name in each.names]
        assert repr(functions(program).resolvers(name)) == repr(resolvers)


def test_few_are_looked_for_and_then_all_are_made(program: Path) -> None:
    file = functions(program)
    assert [each.name for each in file.named("main")] == ["main"]
    for number in range(1, objectfile.FEW):
        file.named(f"name{number}")
    assert "functions" not in file.__dict__
    assert [each.name for each in file.named("reached")] == ["reached"]
    assert "functions" in file.__dict__


def test_names_that_are_no_text(program: Path) -> None:
    """A byte that is no character is found as what is shown in its place."""
    data = program.read_bytes()
    for name in (b"indirect", b"reached"):
        data = data.replace(b"\0%b\0" % name, b"\0%b\0" % name.replace(b"e", b"\xff"))
    assert len(ObjectFile("odd", data, None).resolvers("indir\ufffdct")) == 1
    assert len(ObjectFile("odd", data, None).named("r\ufffdach\ufffdd")) == 1


def test_a_broken_table_has_no_functions(program: Path) -> None:
    data = bytearray(program.read_bytes())
    for section in functions(program).elf.sections:
        if section.name in objectfile.TABLES:
            data[section.offset + section.size - 24:section.offset + section.size - 20] = b"\xff\xff\xff\x7f"
    file = ObjectFile("broken", bytes(data), None)
    assert file.named("main") == file.resolvers("indirect") == []
