"""Archives given to -G: as GNU's ar, ranlib, nm and ld see what it makes of them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from test_hints import with_linker
from test_link import ONE, refusal
from usdt_programs import MAIN, OTHER, OUTPUT, Toolchain, check_sites, providers

from dof.usdt.inputs import separate
from dof.usdt.link import link
from dof.usdt.reading import probes_by_module
from dof.usdt.sites import LinkError

USE = '#include "prov.h"\nvoid use(int a) { ONE_HIT(a, "x"); }\n'
LONG = "a-name-of-more-than-fifteen-bytes.o"


@pytest.fixture
def library(toolchain: Toolchain) -> str:
    """The shared program's two parts, one with a long name, a text, and an object without probes."""
    other = Path(toolchain.compile("other.c", OTHER))
    (other.parent / LONG).write_bytes(other.read_bytes())
    (other.parent / "odd.txt").write_text("odd")
    plain = toolchain.compile("plain.c", "int plain = 1;\n")
    path = toolchain.path("libparts.a")
    toolchain.run("ar", "rc", path, toolchain.compile("main.c", MAIN), str(other.parent / LONG),
                  str(other.parent / "odd.txt"), plain)
    return path


def check(toolchain: Toolchain, path: str) -> None:
    """ar and nm read it, and ranlib finds nothing to mend."""
    again = toolchain.path("again.a")
    shutil.copy(path, again)
    toolchain.run("ranlib", again)
    assert Path(again).read_bytes() == Path(path).read_bytes()
    assert "\nother in " in toolchain.run("nm", "-s", path)


def test_in_place(toolchain: Toolchain, library: str) -> None:
    generated = toolchain.link_probes(library)
    check(toolchain, library)
    assert toolchain.run("ar", "t", library).split() == ["main.o", LONG, "odd.txt", "plain.o"]
    assert toolchain.run("ar", "p", library, "odd.txt") == "odd"
    program = toolchain.program(library, generated)
    assert toolchain.run(program) == OUTPUT
    assert check_sites(program)["prov:hit"] >= 5
    before = Path(library).read_bytes(), Path(generated).read_bytes()
    toolchain.link_probes(library)
    assert (Path(library).read_bytes(), Path(generated).read_bytes()) == before


def test_as_a_copy_with_the_generated_object(toolchain: Toolchain, library: str) -> None:
    """The linker takes the generated object out of the copy by itself."""
    before = Path(library).read_bytes()
    copy = toolchain.path("copy.a")
    for source in (library, copy):  # the copy may be made anew of itself
        link(toolchain.providers, [source], copy)
        assert Path(library).read_bytes() == before
        check(toolchain, copy)
        assert toolchain.run("ar", "t", copy).split() == ["main.o", LONG, "odd.txt", "plain.o", "prov-usdt.o"]
        listed = list(probes_by_module(copy))
        assert [module for module, probes in listed if probes] == ["prov-usdt.o"]
        assert {"hit", "many", "both", "dashed-name"} == {each.name for each in listed[-1][1]}
        program = toolchain.program(copy)
        assert toolchain.run(program) == OUTPUT
        assert check_sites(program)["prov:hit"] >= 5


@pytest.mark.parametrize("name", ["ld.bfd", "ld.gold", "ld.lld"])
def test_any_linker_takes_the_generated_object_from_the_copy(toolchain: Toolchain, library: str,
                                                             name: str) -> None:
    flags = with_linker(toolchain.directory, name)
    link(toolchain.providers, [library], toolchain.path("copy.a"))
    program = toolchain.program(toolchain.path("copy.a"), flags=tuple(flags))
    assert toolchain.run(program) == OUTPUT
    assert check_sites(program)["prov:hit"] >= 5


def test_thin(toolchain: Toolchain, tmp_path: Path) -> None:
    """The members are files, which change; a copy is a whole archive, and they stay."""
    parts = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    before = [Path(each).read_bytes() for each in parts]
    (tmp_path / "sub").mkdir()
    shutil.move(parts[1], tmp_path / "sub" / LONG)
    parts[1] = str(tmp_path / "sub" / LONG)
    thin, copy = toolchain.path("libthin.a"), toolchain.path("copy.a")
    toolchain.run("ar", "rcsT", thin, *parts)
    link(toolchain.providers, [thin], copy)
    assert [Path(each).read_bytes() for each in parts] == before
    check(toolchain, copy)
    assert toolchain.run(toolchain.program(copy)) == OUTPUT
    generated = toolchain.link_probes(thin)
    assert all(Path(each).read_bytes() != was for each, was in zip(parts, before, strict=True))
    check(toolchain, thin)
    program = toolchain.program(thin, generated)
    assert toolchain.run(program) == OUTPUT
    assert check_sites(program)["prov:hit"] >= 5


def test_members_of_one_name(toolchain: Toolchain, tmp_path: Path) -> None:
    parts = [tmp_path / folder / "part.o" for folder in ("a", "b")]
    for source, text, part in zip(("main.c", "other.c"), (MAIN, OTHER), parts, strict=True):
        part.parent.mkdir()
        shutil.move(toolchain.compile(source, text), part)
    path = toolchain.path("lib.a")
    toolchain.run("ar", "qc", path, *map(str, parts))
    link(toolchain.providers, [path], path)
    assert toolchain.run(toolchain.program(path)) == OUTPUT


def test_lists_of_cmake(tmp_path: Path) -> None:
    odd = tmp_path / "odd;name.o"
    odd.write_text("")
    assert separate(["a.o;b/c.o;", str(odd), "d.o"]) == ["a.o", "b/c.o", str(odd), "d.o"]


def test_refusals(toolchain: Toolchain, tmp_path: Path) -> None:
    toolchain.providers = ONE
    toolchain.header()
    path = toolchain.path("lib.a")
    part = toolchain.compile("part.c", USE)
    toolchain.run("ar", "rc", path, part, toolchain.compile("lto.c", USE, "-flto"))
    assert refusal(toolchain, path).startswith(f"{path}(lto.o) is to be compiled again by the linker")
    Path(path).write_bytes(Path(path).read_bytes()[:-9])
    assert "truncated" in refusal(toolchain, path)
    (tmp_path / "sub").mkdir()
    toolchain.run("ar", "rcsT", toolchain.path("sub/thin.a"), part)
    assert "outside the directory" in refusal(toolchain, toolchain.path("sub/thin.a"))
    toolchain.run("ar", "rcsT", toolchain.path("thin.a"), part)
    Path(part).unlink()
    assert "part.o: No such file" in refusal(toolchain, toolchain.path("thin.a"))
    with pytest.raises(LinkError, match="give one archive alone, or -o the name of an object"):
        link(providers(), [part := toolchain.compile("main.c", "int main(void) { return 0; }\n"),
                           _archive(toolchain, part)], toolchain.path("out.a"))


def _archive(toolchain: Toolchain, part: str) -> str:
    toolchain.run("ar", "rc", toolchain.path("good.a"), part)
    return toolchain.path("good.a")


def test_a_thin_archive_names_no_more_than_memory_holds(toolchain: Toolchain,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    part = Path(toolchain.compile("main.c", MAIN))
    path = Path(toolchain.path("thin.a"))
    toolchain.run("ar", "rcsT", str(path), str(part))
    thin = path.read_bytes()
    path.write_bytes(thin + thin[-60:])  # the last header once more
    monkeypatch.setattr("dof.usdt.inputs.LARGEST_OBJECT", 2 * part.stat().st_size - 1)
    assert "have more than" in refusal(toolchain, str(path))


def test_a_probe_whose_name_has_a_line_end_is_told_in_one_line(toolchain: Toolchain, library: str) -> None:
    data = Path(library).read_bytes()
    Path(library).write_bytes(data.replace(b"prov___many", b"prov___ma\ny"))
    assert refusal(toolchain, library).endswith("calls probe prov:::ma?y, which is not declared")


def test_broken_archives_are_told_in_one_line(toolchain: Toolchain, library: str) -> None:
    whole = Path(library).read_bytes()
    chance = random.Random(7)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(whole))
            at = chance.choice([whole.find(b"`\n", place), place])
            data[max(0, at - chance.randrange(60))] = chance.choice(b"\0/0129 \n\xff")
        Path(library).write_bytes(data)
        try:
            link(toolchain.providers, [library], toolchain.path("copy.a"))
        except LinkError as error:
            assert "\n" not in str(error)
