"""What is remembered of headers and libraries: never more than the text says now."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dc import index
from dc.types import Scope


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own for what is remembered."""
    monkeypatch.setattr(index.__spec__, "cached", str(tmp_path / "index.pyc"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def size(text: str) -> int | None:
    record = Scope.from_header(text, filename="k.h").lookup("struct s")
    return record and record.size


def test_a_changed_text_is_read_again(place: Path) -> None:
    assert [size("struct s { int a; };"), size("struct s { int a; };")] == [4, 4]
    assert len(list(place.iterdir())) == 1
    assert size("struct s { int a, b; };") == 8
    assert size("struct t { int a; };") is None


def test_what_is_remembered_is_read(place: Path) -> None:
    index.remembered("n", (1,), lambda: [("f", "int a;")])
    again = index.remembered("n", (1,), lambda: pytest.fail("read again"))
    assert [each.text for each in index.Index(again).take_value("a")] == ["int a;"]


@pytest.mark.parametrize("damage", [b"", b"\x00", b"i\x01\x00\x00\x00", b"(\x02"])
def test_a_damaged_file_is_no_harm(place: Path, damage: bytes) -> None:
    assert size("struct s { int a; };") == 4
    (file,) = place.iterdir()
    file.write_bytes(damage)
    assert size("struct s { int a; };") == 4


def test_nothing_is_written_where_byte_code_is_not(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert size("struct s { int a; };") == 4
    assert not list(place.iterdir())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(index.__spec__, "cached", str(place / "missing" / "index.pyc"))
    assert size("struct s { int a; };") == 4
