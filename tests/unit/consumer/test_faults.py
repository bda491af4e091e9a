"""Errors of clauses: the place in the source, what the value was, and how many were like it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import atonce
import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dif.isa import OPCODES, Format
from dof.writer import write
from runtime.border import FaultKind, ProbeDescription
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.consumer.events.notices import Fault, Place, Repeats
from runtime.consumer.events.settings import Settings
from runtime.consumer.output.repeats import FirstErrors
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text
from runtime.machine import Machine

GOLDEN = Path(__file__).parents[2] / "golden"
DECLARED = "struct s { int a; struct s *next; int arr[4]; struct { int in; } sub; char name[8]; }; " \
           "struct s *q;\n"


def faults_of(source: str, *arguments: str, options: dict[str, int] | None = None) -> list[Fault]:
    """The errors of a program, which ends by itself."""
    found: list[Fault] = []
    with Machine({}) as machine, Consumer.open(machine) as session:
        session.options.values.update(options or {})
        session.trace(source, Callbacks(fault=found.append), arguments=arguments, seconds=0.02)
    return found


def marked(source: str, place: Place | None) -> str:
    """The piece of the source that a place means."""
    assert place is not None
    return source.split("\n")[place.line - 1][place.column - 1:place.end - 1]


# ⟦⟧ are around what the place means; 0x10000 is a user address, where BEGIN has no memory
FAULTS = [
    ("printf(\"%d %s\", 3, ⟦stringof(x)⟧)", "x is 0x10000, a user address: copyinstr(x)"),
    ("trace(⟦(string)x⟧)", "x is 0x10000, a user address: copyinstr(x)"),
    ("trace(⟦stringof(p)⟧)", "p is 0x10000, a user address: copyinstr((uintptr_t)p)"),
    ("trace(⟦stringof(p + 4)⟧)", "p + 4 is 0x10004, a user address: copyinstr((uintptr_t)(p + 4))"),
    ("trace(⟦strlen(stringof((char *)x))⟧)", "x is 0x10000, a user address: copyinstr(x)"),
    ("trace(⟦strjoin(stringof(x), stringof(x))⟧)", "x is 0x10000, a user address: copyinstr(x)"),
    ("trace(⟦stringof(x) == \"a\"⟧)", "x is 0x10000, a user address: copyinstr(x)"),
    ("⟦self->m[stringof(x)] = 1⟧", "x is 0x10000, a user address: copyinstr(x)"),
    ("@[⟦stringof(x)⟧, x] = count()", "x is 0x10000, a user address: copyinstr(x)"),
    ("trace(⟦*(int *)x⟧)", "x is 0x10000, a user address: *(int *)copyin(x, sizeof (int))"),
    ("trace(1 + 2 * ⟦*(short *)(x + 6)⟧)",
     "x + 6 is 0x10006, a user address: *(short *)copyin(x + 6, sizeof (short))"),
    ("trace(⟦((int *)x)[3]⟧)",
     "((int *)x)[3] is 0x1000c, a user address: *(int *)copyin((uintptr_t)&((int *)x)[3], sizeof (int))"),
    ("trace(⟦((struct s *)x)->a⟧)",
     "x is 0x10000, a user address: ((struct s *)copyin(x, sizeof (struct s)))->a"),
    ("trace(⟦((struct s *)x)->next⟧->next->a)",
     "x is 0x10000, a user address: ((struct s *)copyin(x, sizeof (struct s)))->next"),
    ("trace(⟦((struct s *)x)->sub.in⟧)",
     "x is 0x10000, a user address: ((struct s *)copyin(x, sizeof (struct s)))->sub.in"),
    ("trace(⟦((struct s *)x)->name⟧)",
     "x leads to 0x1002b, a user address: ((struct s *)copyin(x, sizeof (struct s)))->name"),
    ("tracemem(⟦x⟧, 10)", "x leads to 0x10009, a user address: copyin(x, 10)"),
    ("@a[1] = sum(⟦*(int *)x⟧)", "x is 0x10000, a user address: *(int *)copyin(x, sizeof (int))"),
    ("@b[⟦*(int *)x⟧] = quantize(1, 2)", "x is 0x10000, a user address: *(int *)copyin(x, sizeof (int))"),
    ("@c[1] = quantize(1, ⟦*(int *)x⟧)", "x is 0x10000, a user address: *(int *)copyin(x, sizeof (int))"),
    ("trace(⟦strlen(p)⟧)", "p is 0x10000, a user address: copyinstr((uintptr_t)p)"),
    ("trace(⟦x > 3 ? stringof(x) : \"y\"⟧)", "x is 0x10000, a user address: copyinstr(x)"),
    ("trace(⟦mutex_owned((kmutex_t *)x)⟧)",
     "x is 0x10000, a user address: copyin() and copyinstr() copy what is there"),
    ("trace(⟦strjoin(stringof(x), stringof(x + 1))⟧)",
     "0x10000 is a user address: copyin() and copyinstr() copy what is there"),
    ("trace(⟦q->arr[2]⟧)", "q is 0x0, a null pointer"),
    ("trace(⟦((struct s *)-16)->arr[1]⟧)", "0x4 is in the first page, where no memory ever is"),
    ("trace(⟦*(int *)8⟧)", "0x8 is in the first page, where no memory ever is"),
    ("trace(⟦*(int *)0xffffff0000000010⟧)", "0xffffff0000000010 is a kernel address, and no memory is there"),
    ("trace(⟦*(int *)0x1234567812345678⟧)",
     "0x1234567812345678 is neither a user address nor one of the kernel"),
    ("trace(⟦copyinstr(x + 8)⟧)",
     "x + 8 leads to 0x10008, a user address, and the program has no memory there"),
    ("trace(⟦copyinstr((uintptr_t)curthread)⟧)",
     "curthread is KERNEL, a kernel address: read it without copyinstr()"),
    ("trace(⟦copyinstr(0)⟧)", "0x0 is a null pointer"),
    ("⟦*(int *)x = 3⟧", "x is 0x10000, a user address: copyout() writes there"),
    ("⟦*(int *)curthread = 3⟧",
     "curthread is KERNEL, not D's own memory: clauses write to variables and to what alloca() returned"),
    ("trace(⟦10 / (x - x)⟧)", "x - x is 0"),
    ("y = 10; ⟦y %= z⟧", "z is 0"),
    ("w = ⟦alloca(x * 1000)⟧", "scratch memory is what the buffer has left: -x bufsize makes it larger"),
]


@pytest.fixture(scope="module")
def told() -> list[Fault]:
    """The errors of all rows, in one program: each is a clause, on a line of its own."""
    clauses = "".join(f"BEGIN {{ {plain(row)}; }}\n" for row, _ in FAULTS)
    values = "BEGIN { x = 0x10000; p = (char *)x; z = 0; }\n"
    return faults_of(f"{DECLARED}{values}{clauses}BEGIN {{ exit(0); }}")


def plain(row: str) -> str:
    return row.replace("⟦", "").replace("⟧", "")


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=[plain(row) for row, _ in FAULTS])
def test_where_and_why(told: list[Fault], number: int) -> None:
    (row, why), fault = FAULTS[number], told[number]
    assert fault.source is not None and fault.source.line == 3 + number
    script = "\n" * (2 + number) + f"BEGIN {{ {plain(row)}; }}"
    assert marked(script, fault.source) == row[row.index("⟦") + 1:row.index("⟧")]
    assert re.sub("0xfffffe[0-9a-f]+", "KERNEL", fault.why) == why


def test_what_a_macro_made_is_where_the_macro_is(tmp_path: Path) -> None:
    (tmp_path / "a.d").write_text("#define AT(x) (*(int *)(x))\nBEGIN { trace(1 + AT(8)); }\n"
                                  "BEGIN { trace(AT(0) + *(int *)24); }\nBEGIN { exit(0); }\n")
    said = atonce.run(["dtrace", "--json", "-C", "-s", tmp_path / "a.d"]).stdout.splitlines()
    places = [item["source"] for item in map(json.loads, said) if item["type"] == "error"]
    assert [(each["line"], each["column"], each["end_column"]) for each in places] == [
        (2, 19, 21), (3, 15, 17)]


def test_the_condition_and_a_label() -> None:
    """Lines are those that a line marker says, as -C writes them."""
    first, second = faults_of('BEGIN\n/ *(int *)8 == 1 /\n{}\n# 70 "other.h"\nBEGIN { trace(*(int *)8); }'
                              "BEGIN { exit(0); }")
    assert (first.action, first.source) == (0, Place("", 2, 3, 12))
    assert (second.action, second.source) == (1, Place("other.h", 70, 15, 24))


def test_the_body_of_a_library_is_where_it_is_used() -> None:
    """A program's own inlines are shown, what stands in another file is not."""
    source = "inline int deep = *(int *)16;\n" \
             "BEGIN { p = (proc_t *)8; trace(xlate <psinfo_t> (p).pr_fname); }\n" \
             "BEGIN { trace(deep + 1); } BEGIN { exit(0); }"
    found = faults_of(source)
    assert [marked(source, each.source) for each in found] == ["xlate <psinfo_t> (p).pr_fname", "*(int *)16"]


def test_programs_from_elsewhere_have_no_source() -> None:
    """Of DOF nothing is known, and what was compiled here is found beside it."""
    elsewhere = write(compile_d("BEGIN { @ = sum(*(int *)8); } BEGIN { trace(*(int *)16); }").program)
    found: list[Fault] = []
    with Machine({}) as machine, Consumer.open(machine) as session:
        session.enable(elsewhere)
        for text in ("BEGIN { @a = sum(*(int *)24); } BEGIN { trace(*(int *)32); }",
                     "BEGIN { @b = sum(*(int *)40); } BEGIN { exit(0); }"):
            session.enable(session.compile(text).program)
            session.enable(elsewhere)
        session.run(Callbacks(fault=found.append))
    assert {each.address: each.source and each.source.column for each in found} == {
        8: None, 16: None, 24: 18, 32: 47, 40: 18}


def test_every_load_has_its_part_of_the_source() -> None:
    """Each instruction that can fail was generated from something, however the optimizer has moved it."""
    seen = 0
    with Machine({}) as machine, Consumer.open(machine) as session:
        session.options.values.update({"zdefs": 1, "defaultargs": 1, "empty": 1})
        for program in sorted(GOLDEN.glob("*/*.d")):
            try:
                result = session.compile(program.read_text(errors="surrogateescape"))
            except CompileError:  # it needs an option or an argument
                continue
            for ecb, info in zip(result.program.ecbs, result.clauses, strict=True):
                difos = [ecb.predicate, *(action.difo for action in ecb.actions)]
                for difo, source in zip(difos, info.sources, strict=True):
                    assert source is None or source.difo is difo
                    words = zip(source.difo.text, source.parts, strict=True) if source is not None else ()
                    kinds = [(OPCODES[word >> 24], part) for word, part in words]
                    failing = [part for opcode, part in kinds if opcode.faults
                               or opcode.format in (Format.LOAD, Format.STORE, Format.CALL)]
                    assert None not in failing
                    seen += len(failing)
    assert seen > 100


# -- errors that are alike -----------------------------------------------------------------------------

PROBES = [ProbeDescription(number, "syscall", "", f"call{number}", "entry") for number in range(4)]
HERE, THERE = Place("a.d", 3, 5, 9), Place("a.d", 4, 5, 9)


class Reported:
    """A reporter that keeps what it gets, and its session."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.time = 0
        self.status = 0
        self.firing = self.run = self.fault = self.repeats = self.got.append
        self.settings = Settings()
        self.system = self

    def now(self) -> int:
        return self.time

    def worked(self) -> None:
        self.got.append("worked")

    def finish(self) -> None:
        self.got.append("finished")


def error(number: int = 1, source: Place | None = HERE, **more: Any) -> Fault:
    kind = more.pop("fault", FaultKind.BADADDR)
    return Fault(0, number, PROBES[number], kind, 1, 4, 0x10, source=source, **more)


def test_the_first_of_each_kind_is_reported_and_the_others_are_counted() -> None:
    kept = Reported()
    first = FirstErrors(kept, kept)  # type: ignore[arg-type]
    kinds = [error(), error(source=THERE), error(source=None), error(2, source=None), error(instance="p1"),
             error(fault=FaultKind.DIVZERO)]
    for each in [*kinds, *kinds, error(2), error(2), error(3)]:
        first.fault(each)
    library = error(fault=FaultKind.LIBRARY, reason="couldn't")
    for _ in range(2):
        first.fault(library)
    first.finish()
    assert kept.got == [*kinds, library, library, Repeats(kinds[0], 4, 2),
                        *(Repeats(each, 1, 0) for each in kinds[1:]), "finished"]


def test_all_errors_are_reported_from_when_that_is_asked_for() -> None:
    kept = Reported()
    first = FirstErrors(kept, kept)  # type: ignore[arg-type]
    for value in ("first", "all", "first"):
        kept.settings.options.set("errors", value)
        for _ in range(3):
            first.fault(error())
    first.finish()
    assert kept.got == [*[error()] * 4, Repeats(error(), 5, 0), "finished"]


def test_counts_are_told_while_tracing_goes_on() -> None:
    """Every ten seconds of the machine's time, if there were any."""
    kept = Reported()
    first = FirstErrors(kept, kept)  # type: ignore[arg-type]
    counts = []
    for second in range(1, 46):
        kept.time = second * 10**9
        if second < 13 or second == 33:
            first.fault(error())
        first.worked()
        counts += [(second, each.count) for each in kept.got if isinstance(each, Repeats)]
        kept.got.clear()
    assert counts == [(10, 9), (20, 2), (40, 1)]


@pytest.mark.parametrize(("repeats", "said"), [
    (Repeats(error(), 49), "… 49 more on enabled probe ID 1 (ID 1: syscall::call1:entry)"),
    (Repeats(error(instance="p1"), 2, 1),
     "… 2 more on enabled probe ID 1 (ID 1: p1:syscall::call1:entry) and 1 other")])
def test_messages_of_counts(repeats: Repeats, said: str) -> None:
    assert repeats.message == f"{said}: invalid address in action #1 at DIF offset 4"


def test_the_place_is_told_once() -> None:
    """Below the line that every DTrace has; -x errors=all has the line of each."""
    lines: list[str] = []
    with Machine({}) as machine, Consumer.open(machine) as session:
        text = Text(Output(io.BytesIO()), session.settings, session.aggregations, notice=lines.append)
        for each in (error(why="p is 0x10"), error(), error(2), error(source=THERE), error(source=None)):
            text.fault(each)
    classic = [error().message, error(2).message]
    assert lines == [f'{classic[0]}\n  "a.d", line 3, column 5: p is 0x10', classic[0], classic[1],
                     f'{classic[0]}\n  "a.d", line 4, column 5', classic[0]]


@pytest.mark.parametrize(("words", "classic", "more", "places"), [
    ((), 1, [4], 1), (("-x", "errors=all"), 5, [], 1), (("-x", "strict"), 1, [4], 1)])
def test_the_command(words: tuple[str, ...], classic: int, more: list[int], places: int, tmp_path: Path
                     ) -> None:
    (tmp_path / "a.d").write_text("tick-1ms\n{\n\ttrace(stringof(0x10000));\n}\ntick-5ms { exit(0); }\n")
    done = atonce.run(["dtrace", "-q", *words, "-s", tmp_path / "a.d"])
    line = re.compile(r"dtrace: error on enabled probe ID \d+ \(ID \d+: profile:::tick-1ms\): "
                      r"invalid address \(0x10000\) in action #1")
    lines = done.stderr.splitlines()
    assert len([each for each in lines if line.fullmatch(each)]) == classic
    assert [int(each.split()[2]) for each in lines if " more on " in each] == more
    assert lines[1] == f'  "{tmp_path}/a.d", line 3, column 8: 0x10000 is a user address: copyinstr(0x10000)'
    assert sum(each.startswith("  ") for each in lines) == places
    assert ("5 errors (-x strict)" in done.stderr) == (done.returncode == 1) == ("strict" in words)
    said = atonce.run(["dtrace", "--json", *words, "-s", tmp_path / "a.d"]).stdout.splitlines()
    items = [json.loads(each) for each in said]
    assert [item["source"]["line"] for item in items if item["type"] == "error"] == [3] * classic
    assert [item["count"] for item in items if item["type"] == "repeats"] == more
