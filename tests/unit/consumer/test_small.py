"""Parts of a session by themselves: formats' arguments, options that a kernel answers, catalogs, tuning."""

from __future__ import annotations

import errno
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench import FUNC, Bench
from fakes import BEGIN, rec

from dc.names.catalog import Argument, ProbeInfo
from dc.options import OptionError, Options
from dc.types.scopes import Scope
from dof.model import ActionKind as A
from dof.model import ProbeDesc
from dof.options import UNSET, OptionId
from runtime.border import (
    AggDesc,
    ArgDesc,
    BorderError,
    EprobeDesc,
    FaultKind,
    PackedProbes,
    ProbeDescription,
    ProviderDesc,
    RecDesc,
    Status,
)
from runtime.consumer.catalog import DeviceCatalog, _is_of_process_0
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.notices import (
    Drop,
    Fault,
    aggregation_drop,
    filled,
    principal_drop,
    status_drops,
)
from runtime.consumer.events.recordbytes import escape, looks_like_string, number
from runtime.consumer.events.records import Firing, Flow, Formatted, Traced
from runtime.consumer.events.symbols import (
    Mapped,
    NoSymbols,
    Symbol,
    kernel_address,
    kernel_module_name,
    user_address,
    user_module_name,
)
from runtime.consumer.options import Tuning, reload, set_while_tracing
from runtime.consumer.output.pictures import Pictures, Wanted
from runtime.consumer.output.printf import Format

SECOND = 10**9


@pytest.mark.parametrize(("form", "data", "value"), [
    (b"%u", b"\xff", 255), (b"%u", b"\xfe\xff", 65534), (b"%u", b"\xfd\xff\xff\xff", (1 << 32) - 3),
    (b"%x", struct.pack("<q", -4), (1 << 64) - 4), (b"%d", struct.pack("<i", -5), -5),
    (b"%d", struct.pack("<q", -6), -6), (b"%s", b"ab\0cd\0\0\0", "ab"), (b"%S", b"a\nb\0", "a\nb"),
    (b"%c", struct.pack("<i", 65), 65)])
def test_arguments_of_formats(form: bytes, data: bytes, value: object) -> None:
    bound = Format(form).bind([rec(A.PRINTF, len(data), 4)])
    made = Formatted(A.PRINTF, bound, b"....." + data, 1)
    assert made.arguments == [value]
    assert repr(made) == f"Formatted({form!r}, {[value]!r})"


def test_what_a_kernel_made_of_options() -> None:
    options = Options()
    for name, value in (("bufsize", "4m"), ("aggsize", "1m"), ("cleanrate", "10hz"), ("statusrate", "1hz")):
        options.set(name, value)
    tuning = Tuning(options)
    assert list(tuning.changes()) == []
    reload(options, [(OptionId.BUFSIZE, 1 << 20), (OptionId.AGGSIZE, (1 << 20) - 8), (999, 1),
                     (OptionId.NSPEC, (1 << 63) - 1), (OptionId.STRSIZE, 1 << 63),
                     (OptionId.DESTRUCTIVE, MINUS), (OptionId.SWITCHRATE, 7)])
    assert options.values["nspec"] == (1 << 63) - 1
    assert options.values["strsize"] == UNSET and options.values["destructive"] == UNSET
    assert list(tuning.changes()) == ["buffer size lowered to 1m"]
    options.values.update(aggsize=1000, cleanrate=SECOND, statusrate=SECOND // 3)
    assert list(tuning.changes()) == [
        "buffer size lowered to 1m", "aggregation size lowered to 1000 bytes",
        "cleaning rate reduced to 1 hz", "status rate increased to once every 333333333 nanoseconds"]
    options.values.update(bufsize=0, aggsize=3 << 10, cleanrate=5 * SECOND, statusrate=SECOND)
    assert list(tuning.changes()) == ["aggregation size lowered to 3k",
                                      "cleaning rate reduced to once every 5 seconds"]


MINUS = (1 << 64) - 1


def test_options_while_tracing() -> None:
    options = Options()
    set_while_tracing(options, "quiet", None)
    assert options.is_on("quiet")
    with pytest.raises(OptionError, match="before tracing begins"):
        set_while_tracing(options, "bufsize", "1m")
    with pytest.raises(OptionError):
        set_while_tracing(options, "nosuch", None)


def test_numbers_and_strings_of_records() -> None:
    assert [number(struct.pack(form, -2)) for form in ("<b", "<h", "<i", "<q")] \
        == [(1 << bits) - 2 for bits in (8, 16, 32, 64)]
    assert [number(struct.pack(form, -2), True) for form in ("<b", "<h", "<i", "<q")] == [-2] * 4
    for size in (0, 3, 5, 16):
        with pytest.raises(AnswerError, match=f"{size} bytes where an integer"):
            number(bytes(size))
    assert escape(b'a"\\\t\x01\x7f\xff\0b') == b'a\\"\\\\\\t\\001\\177\\377\\0'
    assert [looks_like_string(data) for data in (b"ab\0\0", b"ab", b"a\0b", b"\x01", b"\t\n ~", b"\x80")] \
        == [True, True, False, False, True, False]


def catalog(found: dict[str, Any], **options: Any) -> DeviceCatalog:
    """A catalog of a device with one probe, number 9."""
    descriptions: Any = SimpleNamespace(
        probe=lambda number: FUNC if number == 9 else BEGIN._replace(id=0, name=""),
        matching=lambda wanted, instance: PackedProbes(
            FUNC.pack() if wanted.provider in ("fbt", "") else b"", ProbeDescription))
    answers: Any = SimpleNamespace(**found)
    return DeviceCatalog(answers, descriptions, Scope.intrinsic(), **options)


def test_probes_of_a_catalog() -> None:
    known = ProbeInfo(9, "fbt", "genunix", "read", "entry")
    plain, none = catalog({}), catalog({}, no_target=True)
    assert [*plain.probes(ProbeDesc("fbt", "", "", ""))] == [known]
    assert [*plain.probes(ProbeDesc("", "", "", "", 9))] == [known]
    for unknown in (ProbeDesc("", "", "", "", 4), ProbeDesc("pid0", "", "", "")):
        assert [*plain.probes(unknown)] == []
    for name in ("pid0", "myserv0"):
        assert [*none.probes(ProbeDesc(name, "a", "b", "c"))] == [ProbeInfo(0, name, "a", "b", "c")]
    for name in ("0", "pid10", "pid", "pid00"):
        assert [*none.probes(ProbeDesc(name, "a", "b", "c"))] == []


def test_arguments_of_a_catalog() -> None:
    """All that the kernel tells, up to the first that there is not; else what a program's function takes."""
    known = ProbeInfo(9, "shop7", "a", "f", "p")
    asked: list[tuple[int, int]] = []
    mine = Scope.intrinsic().basic("long")
    told = [ArgDesc(9, 0, 1, "int", ""), ArgDesc(9, 1, 0, "order_t", "order_t"),
            ArgDesc(9, 2, 2, "buf", "bufinfo_t"), ArgDesc(9, 3, 0, "order_t", "info_t"),
            ArgDesc(9, 4, 0, "nosuch_t", "")]

    def argument(probe: int, index: int) -> ArgDesc | None:
        asked.append((probe, index))
        if index > len(told):
            raise BorderError(errno.ESRCH, "none")
        return told[index] if index < len(told) else None

    def of_program(probe: ProbeInfo, name: str) -> Any:
        return mine if (probe, name) == (known, "order_t") else None

    made = catalog({"argument": argument}, user_type=of_program,
                   user_arguments=lambda probe: [Argument("char", "")])
    expected = [Argument("int", "", 1), Argument(mine, "", 0), Argument("buf", "bufinfo_t", 2),
                Argument("order_t", "info_t", 0), Argument("nosuch_t", "", 0)]
    assert made.arguments(known) == made.arguments(known) == expected
    assert asked == [(9, index) for index in range(6)]  # once
    told.clear()
    for probe in (known._replace(id=10), known._replace(id=11)):
        assert made.arguments(probe) == [Argument("char", "")]
    told += [ArgDesc(12, 0, 0, "int", "")] * 40
    assert len(made.arguments(known._replace(id=12)) or ()) == 32


def test_providers_and_mistakes_of_a_catalog() -> None:
    triples = ((1, 2, 3), (4, 5, 1), (7, 0, 2), (0, 1, 2), (3, 4, 5))
    asked: list[str] = []

    def provider(name: str) -> ProviderDesc:
        asked.append(name)
        if name != "io":
            raise BorderError(errno.ESRCH, "none")
        return ProviderDesc(name, triples)

    made = catalog({"provider": provider}, mistake=lambda description: ("D_TAG", str(description)))
    for _ in range(2):
        assert made.provider_attributes("io") == triples and made.implements("io")
        assert made.provider_attributes("nosuch") is None and not made.implements("nosuch")
    assert asked == ["io", "nosuch"]
    assert made.mistake(ProbeDesc("a", "", "", "b")) == ("D_TAG", "a:::b")
    assert made.symbol(None, "x") is None and not made.has_module("nosuch")
    named: Any = SimpleNamespace(named=lambda module, name: (module, name))
    assert catalog({}, symbols=named).symbol("m", "n") == ("m", "n")


# -- aggregations -----------------------------------------------------------------------------------------

def test_clearing_one_or_all() -> None:
    bench = Bench()
    for variable in (1, 2):
        bench.device.aggdescs[variable] = AggDesc(variable, 1, 32, (
            rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16), rec(A.AGG_COUNT, 8, 24)))
    aggregations = bench.consumer.aggregations
    data = b"".join(struct.pack("<IIqqq", variable, 0, variable, key, 5)
                    for variable in (1, 2) for key in (7, 8))
    aggregations.add(data)

    def counts() -> list[tuple[int, int]]:
        return sorted((entry.variable, entry.value.scalar) for entry in aggregations)
    aggregations.clear(2)
    assert counts() == [(1, 5), (1, 5), (2, 0), (2, 0)]
    aggregations.add(data)
    assert counts() == [(1, 10), (1, 10), (2, 5), (2, 5)]
    aggregations.clear()
    assert counts() == [(1, 0), (1, 0), (2, 0), (2, 0)]
    aggregations.truncate(1, 1)
    aggregations.truncate(2, 0)
    assert counts() == [(1, 0)]


def test_keys_beyond_the_memory_for_them() -> None:
    bench = Bench(aggmemory=400)
    bench.device.aggdescs[1] = AggDesc(1, 1, 32, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16),
                                                  rec(A.AGG_COUNT, 8, 24)))
    bench.aggregate(b"".join(struct.pack("<IIqqq", 1, 0, 1, key, 1) for key in range(100)))
    bench.run()
    kept = len(list(bench.consumer.aggregations))
    assert 0 < kept < 100
    assert any(f"{100 - kept} aggregation drops beyond aggmemory=400" in notice for notice in bench.notices)


# -- what is drawn beside what is printed -----------------------------------------------------------------

class Told:
    """Keeps the names of what it is told."""

    status = 3

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *_what: self.calls.append(name) or "page"


def test_events_go_on_to_the_page_and_to_the_printer(tmp_path: Path,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    bench, printer, page = Bench(), Told(), Told()
    wanted = Wanted(report=str(tmp_path / "r.html"), folded=str(tmp_path / "f.txt"),
                    flame=str(tmp_path / "f.svg"), heatmap=str(tmp_path / "h.svg"), progress=True)
    inner, beside, session = printer, page, bench.consumer
    pictures = Pictures(inner, session, wanted, page=beside)
    alone = Pictures(Told(), session, Wanted())
    firing, drop = Firing(0, 1, FUNC, 5, Flow()), Drop("DTRACEDROP_PRINCIPAL", 2, "drop")
    fault = Fault(0, 1, FUNC, 1)
    for each in (pictures, alone):
        each.firing(firing)
        each.fault(fault)
        each.drop(drop)
        each.worked()
        each.finish()
    assert printer.calls == ["firing", "fault", "drop", "worked", "finish"]
    assert page.calls == ["firing", "fault", "drop", "html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.svg", "f.txt", "h.svg", "r.html"]
    assert (tmp_path / "r.html").read_text() == "page" and (tmp_path / "f.txt").read_text() == ""
    assert capsys.readouterr().err == "     0.000 s of the machine's time, 1 firings reported, 2 drops\n\n"


def test_a_table_while_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich import live

    shown: list[Any] = []

    class Screen:
        def __init__(self, table: Any, auto_refresh: bool) -> None:
            shown.append(("made", auto_refresh))

        def start(self) -> None:
            shown.append("start")

        def update(self, table: Any, refresh: bool) -> None:
            shown.append((table.title, [column.header for column in table.columns], table.row_count, refresh))

        def stop(self) -> None:
            shown.append("stop")
    monkeypatch.setattr(live, "Live", Screen)
    bench = Bench()
    bench.device.aggdescs[1] = AggDesc(1, 1, 32, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16),
                                                  rec(A.AGG_COUNT, 8, 24)))
    bench.consumer.names[1] = "n"
    pictures = Pictures(Told(), bench.consumer, Wanted(live=True))
    pictures.worked()
    bench.consumer.aggregations.add(struct.pack("<IIqqq", 1, 0, 1, 7, 5))
    bench.system.time = 1_500_000_000
    pictures.worked()
    pictures.finish()
    heads = ["aggregation", "keys", "value"]
    assert shown == [("made", False), "start", ("0.000 s", heads, 0, True), ("1.500 s", heads, 1, True),
                     "stop"]


def test_what_objects_say_of_themselves() -> None:
    assert repr(Traced(rec(A.DIFEXPR, 4, 0), struct.pack("<i", -3))) == "Traced(-3)"
    assert repr(Traced(rec(A.DIFEXPR, 1, 0), b"\xff")) == "Traced(255)"
    assert repr(Traced(rec(A.DIFEXPR, 8, 0), b"\xff" * 8)) == "Traced(-1)"
    assert repr(Traced(rec(A.DIFEXPR, 5, 0), b"text\0")) == "Traced('text')"
    assert "read" in repr(Firing(0, 1, FUNC, 5, Flow()))


@pytest.mark.parametrize(("form", "actions", "several", "plain"), [
    (b"%d %@d\n", [A.DIFEXPR], 1, True), (b"%s %@u\n", [A.DIFEXPR], 1, True),
    (b"%-5d %@x\n", [A.DIFEXPR], 1, True),
    (b"%d %@d\n", [A.MOD], 1, False), (b"%d %@d\n", [A.UMOD], 1, False),
    (b"%+d %@d\n", [A.DIFEXPR], 1, False),
    (b"%.3d %@d\n", [A.DIFEXPR], 1, False), (b"%c %@d\n", [A.DIFEXPR], 1, False),
    (b"%@d %@u\n", [], 2, True), (b"%@x %@+d\n", [], 2, False)])
def test_lines_that_are_made_of_columns(form: bytes, actions: list[int], several: int, plain: bool) -> None:
    keys = [rec(action, 8, 16 + 8 * place) for place, action in enumerate(actions)]
    bound = Format(form).bind(keys)
    table = SimpleNamespace(layout=SimpleNamespace(value=rec(A.AGG_COUNT, 8, 24), keys=tuple(keys), words=1,
                                                   distribution=False))
    rows: Any = SimpleNamespace(shown=[table] * several, width=several)
    assert (bound.pieces(rows) is not None) is plain


# -- the border ---------------------------------------------------------------------------------------------

def test_probes_as_they_came() -> None:
    """Each by its place, in their order, and as something else; what is too long for its field is cut."""
    rows = [(1, "dtrace", "", "", "BEGIN"), (2, "p" * 80, "m" * 80, "f" * 200, "n" * 80),
            (3, "a\udcff", "m" * 63, "f" * 191, "é")]
    cut = [rows[0], (2, "p" * 63, "m" * 63, "f" * 191, "n" * 63), rows[2]]
    packed = PackedProbes(ProbeDescription.pack_all(rows), ProbeDescription)
    assert [*packed] == cut and len(packed) == 3
    assert [packed[0], packed[2], packed[-1], packed[-3]] == [cut[0], cut[2], cut[2], cut[0]]
    for place in (3, -4):
        with pytest.raises(IndexError):
            packed[place]
    other = packed.of(lambda number, provider, *_rest: f"{number} {provider}")
    assert other[0] == "1 dtrace" and len(other) == 3
    assert b"".join(ProbeDescription(*row).pack() for row in rows) == ProbeDescription.pack_all(rows)


RECORDS = (RecDesc(1, 4, 12, 4, 2, 7, 1 << 40), RecDesc(0x701, 8, 16, 8, 0, 0, 3))


@pytest.mark.parametrize(("whole", "size", "count_at", "shortened"), [
    (EprobeDesc(5, 9, 1 << 33, 24, RECORDS), 24, 20, EprobeDesc(5, 9, 1 << 33, 24, RECORDS[:1])),
    (AggDesc(3, 5, 40, RECORDS), 40, 32, AggDesc(3, 5, 40, RECORDS[:1]))])
def test_descriptions_have_the_records_that_are_whole(whole: EprobeDesc | AggDesc, size: int, count_at: int,
                                                      shortened: EprobeDesc | AggDesc) -> None:
    data = whole.pack()
    assert len(data) == size + 2 * 32 and data[count_at:count_at + 4] == b"\2\0\0\0"
    if isinstance(whole, AggDesc):  # its name, variable and flags are the kernel's own
        assert (data[:20], data[36:40]) == (bytes(20), bytes(4))
    assert whole.unpack(data) == whole.unpack(data + bytes(31)) == whole
    assert whole.unpack(data[:-1]) == shortened and whole.unpack(data[:size]).records == ()


def test_a_provider_and_an_argument_as_they_are_told() -> None:
    triples = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12), (13, 14, 15))
    provider = ProviderDesc("io", triples, 6, 99, -1)
    data = provider.pack()
    assert len(data) == 92 and data[:3] == b"io\0" and data[64:79] == bytes(range(1, 16))
    assert ProviderDesc.unpack(data) == provider and ProviderDesc("x").attributes == ((0, 0, 0),) * 5
    argument = ArgDesc(7, -1, 2, "i" * 200, "struct x *")
    assert len(argument.pack()) == 268
    assert ArgDesc.unpack(argument.pack()) == argument._replace(native="i" * 127)


# -- messages -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("fault", "said"), [
    (Fault(0, 3, FUNC, FaultKind.BADADDR, 1, 4, 0x10), "invalid address (0x10) in action #1 at DIF offset 4"),
    (Fault(0, 3, FUNC, FaultKind.BADALIGN, 2, 0, 3), "invalid alignment (0x3) in action #2 at DIF offset 0"),
    (Fault(0, 3, FUNC, FaultKind.BADSTACK, 1, -1, 7), "bad stack (0x7) in action #1"),
    (Fault(0, 3, FUNC, FaultKind.DIVZERO, 0, 8, 9), "divide-by-zero in predicate at DIF offset 8"),
    (Fault(0, 3, FUNC, 77, 1, 4), "unknown fault in action #1 at DIF offset 4"),
    (Fault(0, 3, FUNC, FaultKind.NOSCRATCH, 1, 4, 5, "why"),
     "out of scratch space in action #1 at DIF offset 4 (why)"),
    (Fault(0, 3, FUNC, FaultKind.LIBRARY, 1, 4, 5, "a reason"), "a reason")])
def test_messages_of_faults(fault: Fault, said: str) -> None:
    assert fault.message == f"error on enabled probe ID 3 (ID 9: {FUNC}): {said}"
    there = Fault(*(getattr(fault, name) for name in Fault.__match_args__[:-1]), instance="p1")
    assert there.message == f"error on enabled probe ID 3 (ID 9: p1:{FUNC}): {said}"


def test_messages_of_what_was_lost() -> None:
    """Two are several; of which CPU and instance, where that is known; with the tag on request."""
    old, new = Status(dyndrops=1, dblerrors=2, filled=3), Status(*range(2, 14))
    assert [each.message(True) for each in status_drops(old, new)] == [
        "[DTRACEDROP_DYNAMIC] 1 dynamic variable drop",
        "[DTRACEDROP_DYNRINSE] 3 dynamic variable drops with non-empty rinsing list",
        "[DTRACEDROP_DYNDIRTY] 4 dynamic variable drops with non-empty dirty list",
        "[DTRACEDROP_SPEC] 5 speculative drops",
        "[DTRACEDROP_SPECBUSY] 6 failed speculations (available buffer(s) still busy)",
        "[DTRACEDROP_SPECUNAVAIL] 7 failed speculations (no speculative buffer available)",
        "[DTRACEDROP_STKSTROVERFLOW] 10 jstack()/ustack() string table overflows",
        "[DTRACEDROP_DBLERROR] 9 errors in ERROR probe enabling"]
    assert status_drops(new, new) == []
    assert principal_drop("p1", 0, 2).message(False) == "2 drops on CPU 0 of p1"
    assert aggregation_drop("", 3, 1, " x").message(True) == \
        "[DTRACEDROP_AGGREGATION] 1 aggregation drop x on CPU 3"
    assert filled(1, 64).message(False) == \
        "1 buffer became full, and tracing has ended (bufpolicy=fill, bufsize=64)"


class Named(NoSymbols):
    """Symbols at 0x1000 in the kernel and in process 7, in modules that begin there."""

    def kernel(self, address: int) -> Symbol | None:
        return Symbol("unix", "f", 0x1000, 16) if 0x1000 <= address < 0x1010 else None

    def kernel_module(self, address: int) -> Mapped | None:
        return Mapped("unix", 0x1000) if 0x1000 <= address < 0x2000 else None

    def user(self, pid: int, address: int) -> Symbol | None:
        return self.kernel(address) if pid == 7 else None

    def user_mapping(self, pid: int, address: int) -> Mapped | None:
        return self.kernel_module(address) if pid == 7 else None


@pytest.mark.parametrize(("address", "whole", "bare", "module"), [
    (0x1000, "unix`f", "unix`f", "unix"), (0x1001, "unix`f+0x1", "unix`f", "unix"),
    (0x1010, "unix`0x1010", "unix`0x1010", "unix"), (0x2000, "0x2000", "0x2000", "0x2000")])
def test_addresses_in_words(address: int, whole: str, bare: str, module: str) -> None:
    names = Named()
    assert [kernel_address(names, address), kernel_address(names, address, False)] == [whole, bare]
    assert [user_address(names, 7, address), user_address(names, 7, address, False)] == [whole, bare]
    assert [kernel_module_name(names, address), user_module_name(names, 7, address)] == [module] * 2
    for pid in (0, 8):
        assert user_address(names, pid, address) == user_module_name(names, pid, address) == f"{address:#x}"


@pytest.mark.parametrize(("name", "is_of"), [
    ("pid0", True), ("myserv0", True), ("pid10", False), ("pid", False), ("0", False), ("", False),
    ("p00", False)])
def test_providers_of_no_process(name: str, is_of: bool) -> None:
    assert _is_of_process_0(name) is is_of
