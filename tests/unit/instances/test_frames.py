"""Frames: what is written is read, each end refuses what is not its own, and nothing makes it take more."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import struct
import sys
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import bare
from strategies import some

from dof import writer
from runtime.border import BUFDESC, Command
from runtime.consumer.errorprobe import error_program
from runtime.instances.endpoint.endpoint import Endpoint
from runtime.instances.wire import frames
from runtime.instances.wire.frames import DOWN, HEADER, UP, BrokenStream, FrameError, Parser, write
from runtime.instances.wire.service import Service
from runtime.instances.wire.verbs import Verb


@given(st.lists(st.tuples(st.integers(0, 99), some(UP)), max_size=5), st.integers(1, 40))
def test_what_is_written_is_read_however_it_is_cut(sent: list[tuple[int, object]], step: int) -> None:
    stream = b"".join(write(frame, number) for number, frame in sent)
    parser = Parser(UP)
    got = [item for at in range(0, len(stream), step) for item in parser.feed(stream[at:at + step])]
    assert got == sent
    assert not parser.pending


@given(some(DOWN))
def test_an_instance_cannot_send_instructions_up(frame: object) -> None:
    if len(write(frame)) - HEADER.size <= 1 << 20:
        (_, refused), = Parser(UP).feed(write(frame))
        assert isinstance(refused, FrameError)


@given(some(UP))
def test_nothing_sends_data_down(frame: object) -> None:
    (_, refused), = Parser(DOWN).feed(write(frame))
    assert isinstance(refused, FrameError)


@given(st.binary(max_size=300))
def test_any_bytes_are_frames_or_refused(data: bytes) -> None:
    parser = Parser(UP)
    try:
        for _number, frame in parser.feed(data):
            assert isinstance(frame, FrameError) or type(frame) in {form.type for form in UP.values()}
    except BrokenStream:
        pass
    assert parser.pending <= len(data)


@given(some(UP), st.data())
def test_a_changed_frame_harms_no_later_one(frame: object, data: st.DataObject) -> None:
    raw = bytearray(write(frame, 1))
    if len(raw) > HEADER.size:
        raw[data.draw(st.integers(HEADER.size, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    *_, (number, last) = Parser(UP).feed(bytes(raw) + write(frames.Done(7, 0), 2))
    assert (number, last) == (2, frames.Done(7, 0))


def test_a_length_is_refused_before_anything_is_kept() -> None:
    parser = Parser(UP, room=1 << 16)
    with pytest.raises(BrokenStream, match="65536 are allowed"):
        list(parser.feed(HEADER.pack(1 << 31, 0x85, 1)))


def test_lists_are_not_longer_than_their_frame() -> None:
    body = struct.pack("<HH", 1, 0)[:2] + bytes(16) + struct.pack("<I", 60_000)
    (_, refused), = Parser(UP).feed(HEADER.pack(len(body), 0x81, 1) + body)
    assert "60000 items where 0 bytes are left" in str(refused)


U, V = UUID(int=0x0102030405060708090A0B0C0D0E0F10), UUID(int=2)
# code, most bytes of the body, a frame, the layout of its body, the numbers and bytes there
FORMS = [
    (0x01, 1 << 20, frames.Identify(2, 16, "a/é", (U, V), V, 7, b"ty"), "HBH4sI16s16s16sQI2s",
     (2, 16, 4, "a/é".encode(), 2, U.bytes, V.bytes, V.bytes, 7, 2, b"ty")),
    (0x02, 1 << 26, frames.Enable((1, 2), b"dof"), "III I3s", (2, 1, 2, 3, b"dof")),
    (0x03, 1 << 20, frames.Go((3,), 9), "IIQ", (1, 3, 9)), (0x04, 1 << 20, frames.Stop((4,)), "II", (1, 4)),
    (0x05, 1 << 12, frames.Run(5), "Q", (5,)), (0x06, 1 << 12, frames.Harvest(1, 2, 3), "BIB", (1, 2, 3)),
    (0x07, 1 << 20, frames.Ask(1, 2, b"x"), "IHI1s", (1, 2, 1, b"x")),
    (0x08, 1 << 20, frames.Do(1, 2, b"[]"), "IBI2s", (1, 2, 2, b"[]")),
    (0x09, 1 << 12, frames.Ack(U, 3), "16sQ", (U.bytes, 3)), (0x0A, 1 << 12, frames.Stamp(6), "Q", (6,)),
    (0x0B, 0, frames.Halt(), "", ()), (0x0C, 0, frames.Close(), "", ()),
    (0x81, 1 << 20, frames.Hello(2, U, (V,)), "H16sI16s", (2, U.bytes, 1, V.bytes)),
    (0x82, 1 << 20, frames.Advertise(1, "p", U, 2, 3, "lx", b"t", (("io", V),)), "IH1s16sHQH2sI1sIH2s16s",
     (1, 1, b"p", U.bytes, 2, 3, 2, b"lx", 1, b"t", 1, 2, b"io", V.bytes)),
    (0x83, 1 << 14, frames.Retire(1, "h", "why", 4), "IH1sH3sQ", (1, 1, b"h", 3, b"why", 4)),
    (0x84, 1 << 12, frames.Passed(1, 2, 3, 4), "IQBQ", (1, 2, 3, 4)),
    (0x85, 1 << 26, frames.Snap(1, U, 2, 3, 4, b"d"), "I16sQBII1s", (1, U.bytes, 2, 3, 4, 1, b"d")),
    (0x86, 1 << 20, frames.Describe(1, 2, b"d"), "HII1s", (1, 2, 1, b"d")),
    (0x87, 1 << 12, frames.Status(1, b"s", 2), "II1sQ", (1, 1, b"s", 2)),
    (0x88, 1 << 26, frames.Answer(1, b"a"), "II1s", (1, 1, b"a")),
    (0x89, 1 << 13, frames.Refused(1, 2, "no"), "IHH2s", (1, 2, 2, b"no")),
    (0x8A, 1 << 12, frames.Clock(1, 2, 3, 4, -5, 6), "IQQQqQ", (1, 2, 3, 4, -5, 6)),
    (0x8B, 1 << 14, frames.Notice(1, "k", "t", 2), "IH1sH1sQ", (1, 1, b"k", 1, b"t", 2)),
    (0x8C, 0, frames.Beat(), "", ()), (0x8D, 1 << 12, frames.Done(1, 2), "QB", (1, 2)),
    (0x8E, 1 << 14, frames.Dropped(1, "h", "k", 2), "IH1sH1sQ", (1, 1, b"h", 1, b"k", 2))]


@pytest.mark.parametrize(("code", "most", "frame", "layout", "values"), FORMS)
def test_every_frame_byte_by_byte(code: int, most: int, frame: frames.Up, layout: str,
                                  values: tuple[object, ...]) -> None:
    """Its body is as long as it says, and may have so many bytes, and no more."""
    body = struct.pack(f"<{layout}", *values)
    assert write(frame, 1 << 40) == struct.pack("<IBQ", len(body), code, 1 << 40) + body
    forms = UP if code & 0x80 else DOWN
    assert list(Parser(forms).feed(write(frame, 3))) == [(3, frame)] and len(FORMS) == len(UP) + len(DOWN)
    assert len(list(Parser(forms).feed(struct.pack("<IBQ", most, code, 0)))) == (not most)
    with pytest.raises(BrokenStream, match=f"{code:#x} of {most + 1} bytes, where {most} are allowed"):
        list(Parser(forms).feed(struct.pack("<IBQ", most + 1, code, 0)))


@pytest.mark.parametrize(("size", "right"), [(4096, True), (4097, False)])
def test_texts_have_a_longest(size: int, right: bool) -> None:
    body = struct.pack(f"<IHH{size}s", 1, 2, size, b"x" * size)
    (_, found), = Parser(UP).feed(struct.pack("<IBQ", len(body), 0x89, 0) + body)
    assert found == frames.Refused(1, 2, "x" * size) if right else str(found) == "a text of 4097 bytes"
    assert write(frames.Refused(1, 2, "x" * size)) == write(frames.Refused(1, 2, "x" * 4096))


@pytest.mark.parametrize(("count", "right"), [(1 << 16, True), ((1 << 16) + 1, False)])
def test_lists_have_a_most(count: int, right: bool) -> None:
    body = struct.pack(f"<I{count}I", count, *range(count))
    (_, found), = Parser(DOWN).feed(struct.pack("<IBQ", len(body), 0x04, 0) + body)
    assert isinstance(found, frames.Stop) == right


def test_a_frame_has_nothing_behind_its_end() -> None:
    raw = write(frames.Ack(UUID(int=1), 5))
    longer = HEADER.pack(len(raw) - HEADER.size + 1, raw[4], 0) + raw[HEADER.size:] + b"x"
    (_, refused), = Parser(DOWN).feed(longer)
    assert str(refused) == "1 bytes behind the end of a frame"


class _Doing:
    """Answers with the frame that it is asked by."""

    def handle(self, frame: object) -> list[object]:
        return [frames.Answer(0, repr(frame).encode()), frames.Done(0, 0)]

    def interrupt(self) -> None: ...


def test_a_service_answers_what_it_refuses_and_leaves_nothing_behind() -> None:
    ours, theirs = socket.socketpair()
    refused = bytearray(write(frames.Do(0, 1, b"[]"), 5))
    del refused[-2:]
    HEADER.pack_into(refused, 0, *(len(refused) - HEADER.size, *HEADER.unpack_from(refused)[1:]))
    ours.sendall(bytes(refused) + write(frames.Do(0, 2, b"[]"), 6))
    ours.shutdown(socket.SHUT_WR)
    handlers = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGIO)
    with theirs:
        Service(_Doing()).serve(theirs)  # type: ignore[arg-type]
        assert not fcntl.fcntl(theirs, fcntl.F_GETFL) & os.O_ASYNC
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGIO)) == handlers
    (five, no), (_, done), (six, yes), _ = Parser(UP).feed(ours.recv(1 << 16))
    assert (five, six) == (5, 6)
    assert isinstance(no, frames.Refused) and no.errno == errno.EINVAL and isinstance(done, frames.Done)
    assert isinstance(yes, frames.Answer) and b"verb=2" in yes.data
    ours.close()


def test_an_instance_answers_for_itself() -> None:
    """Numbers of instances begin with its own, 0, at each hop."""
    machine = bare.BareInstance(1)
    machine.doings = {Verb.MEMORY: lambda arguments: ["bare", arguments]}
    endpoint = Endpoint(machine)
    asked = [frames.Do((), Verb.MEMORY, b"[7]"), frames.Go((0,), 0), frames.Stop((0,))]
    told = [each for frame in asked for each in endpoint.handle(frame)]
    answers = [each for each in told if isinstance(each, frames.Answer)]
    assert [answer.instance for answer in answers] == [0, 0, 0]
    assert answers[0].data == b'["bare", [7]]'


def test_what_has_been_recorded_is_counted_once() -> None:
    """Fetched or waiting, by records of two sizes, however many come between two harvests."""
    endpoint = bare.endpoint(1)
    dof = bare.program("bare:mod:func:fire /arg3 % 3 == 0/ { trace(arg0); } "
                       "bare:mod:func:fire /arg3 % 3 != 0/ { trace(execname); trace(arg0); }",
                       bufsize=1 << 16)
    for frame in (frames.Enable((0,), dof), frames.Go((0,), 1)):
        list(endpoint.handle(frame))
    for fired in (1, 5, 12, 40, 42, 99):
        told = list(endpoint.handle(frames.Run(fired * bare.SECOND // 100)))
        assert [each.recorded for each in told if isinstance(each, frames.Passed)] == [fired]
        list(endpoint.handle(frames.Harvest(frames.BUFFERS, frames.EVERY, 1)))


@pytest.mark.parametrize("now", [0, 5, 10**12])
def test_records_have_the_times_of_the_root(now: int) -> None:
    """Without a time of the root they keep their own."""
    endpoint, ahead = bare.endpoint(1), max(now - bare.BareInstance(1).now(), 0)
    dof = bare.program("bare:mod:func:fire { trace(timestamp); }", bufsize=1 << 16)
    asked = (frames.Enable((0,), dof), frames.Go((0,), now), frames.Run(bare.SECOND + now),
             frames.Harvest(frames.BUFFERS, frames.EVERY, 1))
    told = [each for frame in asked for each in endpoint.handle(frame)]
    snaps = [each.data[BUFDESC.size:] for each in told if isinstance(each, frames.Snap)]
    high, low, own = struct.unpack_from("<4xIIxxxxq", snaps[0])
    assert (high << 32 | low) - own == ahead


def test_a_clause_that_fails_is_described_with_its_fault() -> None:
    """It has left no record of its own; it is told once, and what fails nowhere is not told."""
    endpoint = bare.endpoint(1)
    dof = bare.program("bare:mod:func:fire /arg3 == 1/ { trace(1); } "
                       "bare:mod:func:fire { trace(*(int *)8); }", bufsize=1 << 16)
    for frame in (frames.Enable((0,), writer.write(error_program())), frames.Enable((0,), dof),
                  frames.Go((0,), 1)):
        list(endpoint.handle(frame))
    described = []
    for fired in (2, 3):
        list(endpoint.handle(frames.Run(fired * bare.SECOND // 100 + 1)))
        told = endpoint.handle(frames.Harvest(frames.BUFFERS, frames.EVERY, 1))
        described.append([each.number for each in told
                          if isinstance(each, frames.Describe) and each.command == Command.EPROBE])
    assert described == [[2, 1, 3], []]
