"""A kernel that lies: every answer is mutated, and the consumer ends with one line or is not misled.

The programs are real and run on an emulated kernel; between it and the consumer stands a device that changes
answers.  Whatever it changes, what comes out is a trace or an AnswerError (TraceError, BorderError where the
kernel only refuses), and never another exception.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import pytest
from bench import Bench
from fakes import BEGIN, rec, record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dof.model import ActionKind as A
from dof.options import Phase
from dof.writer import write
from runtime.border import (
    BUFDESC,
    AggDesc,
    ArgDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
    Status,
)
from runtime.consumer.aggregations.aggregate import Aggregations
from runtime.consumer.consumer import Consumer
from runtime.consumer.errorprobe import error_program
from runtime.consumer.events.errors import AnswerError, TraceError
from runtime.consumer.events.names import printable
from runtime.consumer.events.settings import Settings
from runtime.consumer.events.symbols import NoSymbols, Symbol
from runtime.consumer.output.bufferreport import BufferReport
from runtime.consumer.output.jsonlines import Json
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text
from runtime.machine import Machine

PROGRAM = """
BEGIN {
    trace(1); trace("text"); printf("%d %s %5x %-*d %c %Y", 7, "seven", 8, 9, 10, 65, walltimestamp);
    stack(); ustack(); tracemem(&`p0, 16); trace((short)3); sym((uintptr_t)&`p0); print(1 + 1);
    @n[cpu, "key"] = count(); @a = avg(3); @s = stddev(4); @q[1] = quantize(5); @m[cpu, "x"] = max(9);
    @l = lquantize(7, 0, 100, 5); @ll = llquantize(70, 10, 0, 3, 20); @k[stack()] = sum(1);
    printa(@n); printa("%d %s %@d\\n", @n); normalize(@n, 2); trunc(@m, 1); setopt("quiet", "0");
}
BEGIN { trace(*(int *)8); }
tick-1ms { @t[probename] = count(); printf("%s\\n", probefunc); }
tick-3ms { exit(3); }
END { printa("%d %s %@d %@d\\n", @n, @m); }
"""

Lie = Callable[[Command, bytes], bytes]


class Liar:
    """A device whose answers `lie` may change."""

    def __init__(self, device: object, lie: Lie) -> None:
        self._device, self._lie = device, lie

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        return self._lie(command, self._device.ioctl(command, payload))  # type: ignore[attr-defined]

    def close(self) -> None:
        self._device.close()  # type: ignore[attr-defined]


class Hostile:
    """One emulated machine with the program compiled once; each run is a session of its own."""

    def __init__(self) -> None:
        self.machine = Machine({})
        with Consumer.open(self.machine) as consumer:
            self.result = consumer.compile(PROGRAM)

    def run(self, lie: Lie, structured: int = 0) -> bytes:
        machine = self.machine
        device = Liar(machine.device(), lie)
        out = io.BytesIO()
        with Consumer(device, machine.system(), target=machine.target, ids=machine.ids) as consumer:
            consumer.names.update(self.result.aggregations)
            consumer.types.update(self.result.types)
            consumer.options.values.update({"bufsize": 1 << 16, "aggsize": 1 << 16, "statusrate": 1_000_000})
            output = Output(out)
            consumer.enable(self.result.program)
            if structured == 1:
                handler = Json(output, consumer)
            elif structured == 2:
                handler = BufferReport(output, consumer)
            else:
                handler = Text(output, consumer.settings, consumer.aggregations, notice=lambda line: None,
                               type_named=consumer.types.get)
            consumer.run(handler, seconds=0.02)
            handler.finish()
        return out.getvalue()


@pytest.fixture(scope="module")
def hostile() -> Hostile:
    return Hostile()


def test_honest(hostile: Hostile) -> None:
    """Without a lie the program says what it says without the device in between."""
    text = hostile.run(lambda command, answer: answer)
    assert b"seven" in text and b"value  ------------- Distribution" in text
    assert hostile.run(lambda command, answer: answer, 1).endswith(b"}\n")


COMMANDS = [Command.EPROBE, Command.AGGDESC, Command.BUFSNAP, Command.AGGSNAP, Command.FORMAT, Command.STATUS,
            Command.GO, Command.STOP, Command.ENABLE, Command.DOFGET, Command.PROBES]
VALUES = st.sampled_from([0, 1, 2, 3, 7, 8, 12, 16, 0x7F, 0x80, 0xFF, 0x0203, 0x0204, 0x0708, 0xFFFF, 1 << 31,
                          (1 << 32) - 1, 1 << 40, 1 << 63, (1 << 64) - 1])


@st.composite
def changes(draw: st.DrawFn) -> tuple[Command, int, list[tuple[int, int, int]], int | None]:
    """A command, which of its answers, what is written where in how many bytes, and what is cut off."""
    place = st.tuples(st.integers(0, 400), VALUES, st.sampled_from([1, 2, 4, 8]))
    written = draw(st.lists(place, max_size=3))
    cut = draw(st.none() | st.integers(-40, 40))
    return draw(st.sampled_from(COMMANDS)), draw(st.integers(0, 8)), written, cut


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes(), st.integers(0, 2))
def test_any_change(hostile: Hostile, change: tuple[Command, int, list[tuple[int, int, int]], int | None],
                    structured: int) -> None:
    wanted, turn, written, cut = change
    seen = 0

    def lie(command: Command, answer: bytes) -> bytes:
        nonlocal seen
        if command != wanted:
            return answer
        seen += 1
        if seen - 1 != turn and turn < 8:
            return answer
        data = bytearray(answer)
        for at, value, size in written:
            at %= len(data) + 1
            data[at:at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        return bytes(data[:cut]) if cut is not None and cut <= 0 else bytes(data) + bytes(cut or 0)

    try:
        hostile.run(lie, structured)
    except (AnswerError, TraceError, BorderError) as error:
        assert str(error) and "\n" not in str(error)


# -- the lies of which one was believed or escaped, and their kind -------------------------------------------

def replaced(command: Command, change: Callable[[bytes], bytes]) -> Lie:
    return lambda asked, answer: change(answer) if asked == command else answer


def ecb(change: Callable[[EprobeDesc], EprobeDesc]) -> Lie:
    return replaced(Command.EPROBE, lambda answer: change(EprobeDesc.unpack(answer)).pack())


def _records(desc: EprobeDesc, **fields: int) -> EprobeDesc:
    return EprobeDesc(desc.epid, desc.probe_id, desc.uarg, desc.size,
                      tuple(each._replace(**fields) for each in desc.records))


def _agg(**fields: int) -> Lie:
    def change(answer: bytes) -> bytes:
        desc = AggDesc.unpack(answer)
        *keys, value = desc.records
        return AggDesc(desc.id, desc.epid, desc.size, (*keys, value._replace(**fields))).pack()

    return replaced(Command.AGGDESC, change)


@pytest.mark.parametrize("lie", [
    replaced(Command.BUFSNAP, lambda answer: answer[:BUFDESC.size + 20]),
    replaced(Command.BUFSNAP, lambda answer: BufDesc.unpack(answer)._replace(size=1 << 40).pack() +
             answer[BUFDESC.size:]),
    replaced(Command.AGGSNAP, lambda answer: BufDesc.unpack(answer)._replace(size=1 << 40).pack()),
    replaced(Command.AGGSNAP, lambda answer: BufDesc(len(answer) - BUFDESC.size - 4).pack() +
             answer[BUFDESC.size:-4]),
    replaced(Command.BUFSNAP, lambda answer: BufDesc.unpack(answer)._replace(oldest=1 << 60).pack() +
             answer[BUFDESC.size:]),
    replaced(Command.BUFSNAP, lambda answer: b""),
    replaced(Command.STATUS, lambda answer: answer[:40]),
    replaced(Command.STATUS, lambda answer: b""),
    replaced(Command.GO, lambda answer: struct.pack("<i", -1)),
    replaced(Command.STOP, lambda answer: struct.pack("<i", 4096)),
    replaced(Command.STOP, lambda answer: b"\0"),
    replaced(Command.ENABLE, lambda answer: b"\0"),
    replaced(Command.ENABLE, lambda answer: struct.pack("<i", -7)),
    replaced(Command.DOFGET, lambda answer: answer[:30]),
    replaced(Command.DOFGET, lambda answer: b""),
    replaced(Command.FORMAT, lambda answer: b"rm -rf /"),
    ecb(lambda desc: _records(desc, action=A.SYSTEM)),
    ecb(lambda desc: _records(desc, action=A.FREOPEN)),
    ecb(lambda desc: _records(desc, offset=1 << 31)),
    ecb(lambda desc: _records(desc, offset=0)),
    ecb(lambda desc: _records(desc, size=1 << 30)),
    ecb(lambda desc: _records(desc, arg=(1 << 64) - 1)),
    ecb(lambda desc: EprobeDesc(desc.epid, desc.probe_id, desc.uarg, 0, desc.records)),
    ecb(lambda desc: EprobeDesc(desc.epid, desc.probe_id, desc.uarg, desc.size, desc.records[1:])),
    ecb(lambda desc: EprobeDesc(desc.epid + 1, desc.probe_id, desc.uarg, desc.size, desc.records)),
    _agg(size=0), _agg(size=4), _agg(offset=0), _agg(offset=1 << 31), _agg(action=A.AGG_STDDEV), _agg(arg=1),
    replaced(Command.AGGDESC, lambda answer: answer[:-32]),
    replaced(Command.AGGDESC, lambda answer: answer[:40]),
    replaced(Command.AGGDESC, lambda answer: answer[:10]),
    replaced(Command.PROBES, lambda answer: answer[:100]),
    replaced(Command.PROBES, lambda answer: answer[:4] + b"A" * 384),
])
def test_lies(hostile: Hostile, lie: Lie) -> None:
    """None of them is believed."""
    with pytest.raises((AnswerError, TraceError)) as caught:
        hostile.run(lie)
    assert "\n" not in str(caught.value)


def test_counts_that_go_backwards() -> None:
    bench = Bench()
    bench.device.status = Status(specdrops=5)
    bench.consumer.go()
    bench.consumer.status()
    bench.consumer._ask_status()
    bench.device.status = Status(specdrops=4)
    with pytest.raises(AnswerError, match="backwards"):
        bench.consumer._ask_status()


@pytest.mark.parametrize(("action", "word"), [
    (A.AGG_LQUANTIZE, 2 << 32), (A.AGG_LLQUANTIZE, 0xFFFF << 48 | 0xFFFF << 16 | 0xFFFF),
    (A.AGG_LLQUANTIZE, 0), (A.AGG_LLQUANTIZE, 1 << 48 | 1)])
@pytest.mark.parametrize("options", [{}, {"aggpack": 1}, {"aggsortkey": 1}, {"agghist": 1}])
def test_parameters_of_distributions(action: int, word: int, options: dict[str, int]) -> None:
    """A step of zero, and powers that fill the memory."""
    bench = Bench(quiet=0, **options)
    bench.device.aggdescs[1] = AggDesc(1, 1, 56, (rec(A.DIFEXPR, 8, 8), rec(action, 40, 16)))
    bench.aggregate(struct.pack("<I4xQQ4Q", 1, 1, word, 1, 2, 3, 4))
    with pytest.raises(AnswerError):
        bench.run()


def test_two_sets_of_parameters() -> None:
    """A row keeps the parameters that it began with."""
    bench = Bench(quiet=0)
    bench.device.aggdescs[1] = AggDesc(1, 1, 56, (rec(A.DIFEXPR, 8, 8), rec(A.AGG_LQUANTIZE, 40, 16)))
    for step in (1, 2):
        bench.aggregate(struct.pack("<I4xQQ4Q", 1, 1, step << 48 | 2 << 32, 1, 2, 3, 4))
    bench.consumer.go()
    bench.consumer.snapshot()
    with pytest.raises(AnswerError, match="parameters"):
        bench.consumer.snapshot()


def test_two_sets_of_parameters_in_a_large_snapshot() -> None:
    aggregations = Aggregations(lambda number: AggDesc(1, 1, 56, (
        rec(A.DIFEXPR, 8, 8), rec(A.AGG_LQUANTIZE, 40, 16))), Settings())
    rows = [struct.pack("<I4xQQ4Q", 1, n, 1 << 48 | 2 << 32, 1, 2, 3, 4) for n in range(5000)]
    assert aggregations.add_bulk(b"".join(rows))
    rows[4000] = struct.pack("<I4xQQ4Q", 1, 7, 2 << 48 | 2 << 32, 1, 2, 3, 4)
    with pytest.raises(AnswerError, match="parameters"):
        aggregations.add_bulk(b"".join(rows))
    with pytest.raises(AnswerError, match="parameters"):
        aggregations.add_bulk(bytes(4).join(rows))


def test_widths_that_a_program_computes() -> None:
    """A width of a terabyte is refused in one line; an int is what C takes."""
    for width, shown in ((3, b"  7"), (1 << 32 | 3, b"  7"), (1 << 30, None)):
        bench = Bench(quiet=0)
        bench.device.formats[1] = b"%*d"
        bench.ecb(1, BEGIN, 32, rec(A.PRINTF, 8, 16, fmt=1), rec(A.PRINTF, 4, 24, fmt=1))
        bench.snapshot(0, record(1, struct.pack("<4xQi", width, 7)) + bytes(4))
        if shown is None:
            with pytest.raises(AnswerError, match="columns"):
                bench.run()
        else:
            assert bench.run().encode() == shown + b"\n"


@pytest.mark.parametrize(("fields", "believed"), [
    ({}, True), ({"action": A.SYSTEM}, False), ({"action": A.FREOPEN}, False), ({"offset": 1 << 20}, False)])
def test_lies_about_what_is_traced_anonymously(fields: dict[str, int], believed: bool) -> None:
    """Nothing was enabled here, but the DOF is known that the machine booted with."""
    with Consumer.open(Machine({})) as compiler:
        program = compiler.compile('BEGIN { printf("%d", 7); } tick-1ms { exit(0); }').program
    dofs = [write(program), write(error_program())]
    machine, out = Machine({}), io.BytesIO()
    machine.framework.begin_anonymous(dofs)

    def change(desc: EprobeDesc) -> EprobeDesc:
        formatted = [each for each in desc.records if each.action == A.PRINTF]
        return _records(desc, **fields) if formatted else desc

    with Consumer(Liar(machine.device(), ecb(change)), machine.system(), target=machine.target) as consumer:
        consumer.claim(dofs)
        consumer.options.values.update({"grabanon": 1, "quiet": 1})
        handler = Text(Output(out), consumer.settings, consumer.aggregations, notice=lambda line: None)
        if believed:
            consumer.run(handler, seconds=0.02)
            assert out.getvalue() == b"7"
        else:
            with pytest.raises(AnswerError):
                consumer.run(handler, seconds=0.02)
    machine.close()


# -- catalog: what the compiler asks ------------------------------------------------------------------------

@pytest.mark.parametrize("lie", [
    replaced(Command.PROVIDER, lambda answer: answer[:64] + b"\xff" * 15 + answer[79:]),
    replaced(Command.PROVIDER, lambda answer: answer[:50]),
    replaced(Command.PROBEARG, lambda answer: answer[:50]),
    replaced(Command.PROBEARG, lambda answer: ArgDesc(1, 99).pack()),
    replaced(Command.PROBEARG, lambda answer: answer[:12] + b"i" * 256),
    replaced(Command.PROBEMATCH, lambda answer: answer[:-1]),
    replaced(Command.PROBEMATCH, lambda answer: b"A" * len(answer)),
])
def test_lies_to_the_compiler(hostile: Hostile, lie: Lie) -> None:
    machine = hostile.machine
    consumer = Consumer(Liar(machine.device(), lie), machine.system(), target=machine.target, ids=machine.ids)
    with pytest.raises(AnswerError):
        consumer.compile("io:::start { trace(args[0]->b_bcount); }")
    consumer.close()


# -- names --------------------------------------------------------------------------------------------------

class Painted(NoSymbols):
    """A program whose function's name would clear the screen."""

    def user(self, pid: int, address: int) -> Symbol | None:
        return Symbol("a\x07.out", "f\x1b[2J\n\udc9bé", 0x400, 0x40)


def test_names_that_steer_a_terminal() -> None:
    bench = Bench()
    bench.device.probes[1] = ProbeDescription(1, "p", "m", "f\x1b[2J", "n\r\x9b")
    bench.ecb(1, bench.device.probes[1], 48, rec(A.USTACK, 24, 16, arg=2), rec(A.UADDR, 16, 40))
    bench.device.ecbs[1] = EprobeDesc(1, 1, 0, 56, bench.device.ecbs[1].records)
    bench.snapshot(0, record(1, struct.pack("<4x3Q2Q", 9, 0x410, 0, 9, 0x420)))
    bench.consumer.settings.symbols = Painted()
    text = bench.run()
    assert "f\\x1b[2J:n\\x0d\\x9b" in text
    assert "a\\x07.out`f\\x1b[2J\\x0a\\x9bé+0x10" in text
    assert not any(ord(letter) < 32 and letter != "\n" for letter in text)
    assert printable("std::vector<int>") == "std::vector<int>" and printable("სადილი") == "სადილი"


def test_options_that_a_kernel_has_no_part_in() -> None:
    """Only what is decided before tracing begins comes back from the kernel."""
    from dof.options import BY_ID
    from runtime.consumer.options import reload

    bench = Bench()
    before = dict(bench.consumer.options.values)
    reload(bench.consumer.options, [(number, 1 << 62) for number, option in BY_ID.items()
                                    if option.phase != Phase.RUNTIME])
    assert bench.consumer.options.values == before


