"""Files of the host that are read: regular ones of a bounded size, and in a bounded number."""

from __future__ import annotations

import os
from pathlib import Path

import atonce
import pytest

from dif.assembler import AssemblerError, assemble
from runtime.kernel.image import ImageError, read_image


def dc(*arguments: str) -> tuple[int, str]:
    """Status and standard error."""
    done = atonce.run(["dc", "-o", os.devnull, *arguments], seconds=30)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("kind", "told"), [
    ("pipe", "not found"), ("/dev/zero", "not found"), ("large", "longer than 256 MB"),
    ("folder", "not found")])
def test_what_cannot_be_included(tmp_path: Path, kind: str, told: str) -> None:
    """A pipe blocked for ever, a device took all memory."""
    path = str(tmp_path / kind) if kind.isalpha() else kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "large":
        with open(path, "wb") as file:
            file.truncate(1 << 40)
    program = tmp_path / "program.d"
    program.write_text(f'#include "{path}"\nBEGIN {{ }}\n')
    status, text = dc("-C", str(program))
    assert status == 1 and told in text and "Traceback" not in text


def test_files_without_end() -> None:
    """A program, assembly text or DOF on the command line may be a pipe, but ends."""
    status, text = dc("/dev/zero")
    assert (status, text) == (1, "dc: failed to open /dev/zero: longer than 256 MB\n")


@pytest.mark.parametrize("words", [
    ("-G", "-s", "{folder}/p.d", "/dev/zero", "-o", "{folder}/o.o"), ("-a", "-x", "anon=/dev/zero"),
    ("-a", "-x", "anon={folder}/pipe"), ("-G", "-s", "{folder}/p.d", "{folder}/pipe", "-o", "{folder}/o.o")])
def test_what_is_read_whole_is_a_regular_file(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A device took all memory, and a pipe waited for its other end."""
    (tmp_path / "p.d").write_text("provider p { probe go(); };\n")
    os.mkfifo(tmp_path / "pipe")
    done = atonce.run(["dtrace", *(word.format(folder=tmp_path) for word in words)], seconds=30)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "not a regular file" in done.stderr


def test_included_files_still_compile(tmp_path: Path) -> None:
    (tmp_path / "header.h").write_bytes("\ufeff#define THREE 3\r\n".encode())
    program = tmp_path / "program.d"
    program.write_text('#include "header.h"\nBEGIN { trace(THREE); }\n')
    assert dc("-C", str(program)) == (0, "")


def test_long_lines_of_assembly_text() -> None:
    """One string of 20 MB took 2.3 GB and minutes."""
    with pytest.raises(AssemblerError, match="a line of 1048586 characters: 524288 are the most"):
        assemble('.string "' + "x" * (1 << 20) + '"\nret %r0\n')


def test_strings_that_a_table_holds() -> None:
    """The longest string fits, however it is written."""
    assert len(assemble('.string "' + "\\x41" * 65000 + '"\nret %r0\n').strtab) >= 65001


@pytest.mark.parametrize(("text", "told"), [
    ("a = " + "[" * 5000 + "]" * 5000, "within too many others|there is no such table"),
    ("a = '" + "x" * (17 << 20) + "'", "longer than 16 MB")])
def test_descriptions_of_machines(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(text)
    with pytest.raises(ImageError, match=told):
        read_image(str(path))


def test_files_of_an_image_that_do_not_end(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text("[[file]]\npath = '/a'\nfrom = '/dev/zero'\n")
    with pytest.raises(ImageError, match="not a regular file"):
        read_image(str(path))
