"""Every target for some seconds: its corpus, with every input that ever found something, and mutations of it.

More of it: `python -m tests.fuzz --help`.
"""

from __future__ import annotations

import pytest

from tests.fuzz import engine
from tests.fuzz.__main__ import apart

TOTAL = 30_000  # executions, fifteen seconds of a slow processor; the inputs are the same every time
SLOW = dict.fromkeys(("elf_dwarf", "elf_compressed", "border_consumer"), 150)  # these would take another
MEGABYTES = 400  # of the process, whatever the target


@pytest.mark.parametrize("name", engine.names())
def test_nothing_escapes(name: str) -> None:
    executions = SLOW.get(name) or engine.shared(TOTAL, name)
    row = apart(name, executions=executions)
    found = [f"{each['kind']}\n{each['trace']}\npython -m tests.fuzz {name} --input {each['path']}"
             for each in row["findings"]]  # type: ignore[attr-defined]
    assert not found, "\n".join(found)
    assert row["executions"] >= executions  # type: ignore[operator]
    assert row["megabytes"] < MEGABYTES  # type: ignore[operator]


def test_a_finding_is_kept_and_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    def run(data: bytes) -> None:
        if b"!" in data:
            raise KeyError(data)

    monkeypatch.setattr(engine, "load", lambda name: engine.Target(
        run, (ValueError,), lambda rng, data, seeds: rng.randbytes(50) + b"!"))
    monkeypatch.setattr(engine, "WORK", tmp_path)
    loop = engine.Loop("nothing", 1)
    with loop.begun(10, None):
        while not loop.over:
            loop.one(loop.target.mutate(loop.random, b"", ()))
    result = loop.finished()
    assert result.executions == 10 and [each.kind for each in result.findings] == ["KeyError"]
    assert result.findings[0].path.read_bytes() == b"!"


def test_an_input_that_never_ends_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    def run(_data: bytes) -> None:
        while True:
            pass

    monkeypatch.setattr(engine, "load", lambda name: engine.Target(run, (), lambda *_: b"", seconds=1))
    monkeypatch.setattr(engine, "WORK", tmp_path)
    loop = engine.Loop("nothing", 1)
    with loop.begun(1, None):
        loop.one(b"")
    assert [each.kind for each in loop.finished().findings] == ["TooLong"]
