"""Floating-point and vector registers of x86 as `fxsave`, `xsave` and signal frames lay them out."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest

from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86 import xstate

FCW, FSW, FTW, MXCSR = machine.REG_FPCW, machine.REG_FPSW, machine.REG_FPTAG, machine.REG_MXCSR


class Engine:
    """Registers by number; `vectors`: the processor has AVX."""

    def __init__(self, vectors: bool = True, top: int = 0) -> None:
        draw = random.Random(top)
        self.vectors = vectors
        self.held = {FCW: 0x27F, FSW: top << 11 | 0x41, FTW: 0b11_00_01_10_11_00_11_00, MXCSR: 0x1FA0}
        self.held |= {machine.REG_FP0 + number: draw.getrandbits(80) for number in range(8)}
        self.held |= {machine.REG_XMM0 + number: draw.getrandbits(128) for number in range(16)}
        self.upper = draw.randbytes(256)
        self.sizes: set[tuple[int, int]] = set()

    def read_register(self, number: int, size: int = 8) -> int:
        return self.held[number] & (1 << 8 * size) - 1

    def write_register(self, number: int, value: int, size: int = 8) -> None:
        assert not value >> 8 * size
        self.held[number] = value

    def upper_halves(self) -> bytes:
        return self.upper

    def set_upper_halves(self, data: bytes) -> None:
        self.upper = data


@pytest.mark.parametrize("top", range(8))
def test_the_image_of_fxsave(top: int) -> None:
    engine: Any = Engine(top=top)
    image = xstate.save_floating(engine)
    assert len(image) == 512 and image[416:] == bytes(96)
    # a register that is in use has a bit, by its own number; the stack begins at its top
    assert struct.unpack_from("<HHBxH", image) == (0x27F, top << 11 | 0x41, 0b01110101, 0)
    assert image[8:24] == bytes(16) and struct.unpack_from("<II", image, 24) == (0x1FA0, 0xFFFF)
    for number in range(8):
        value = engine.held[machine.REG_FP0 + (top + number) % 8]
        assert image[32 + 16 * number:48 + 16 * number] == value.to_bytes(16, "little")
    for number in range(16):
        value = engine.held[machine.REG_XMM0 + number]
        assert image[160 + 16 * number:176 + 16 * number] == value.to_bytes(16, "little")
    before = dict(engine.held)
    engine.held = dict.fromkeys(before, 0)
    xstate.load_floating(engine, image)
    assert engine.held == {**before, FTW: 0b11_00_00_00_11_00_11_00}
    xstate.load_floating(engine, image[:24] + struct.pack("<I", 0x12345678) + image[28:])
    assert engine.held[MXCSR] == 0x5678


def whole(engine: Any) -> tuple[dict[int, int], bytes]:
    return dict(engine.held), engine.upper


INITIAL = {FCW: 0x37F, FSW: 0, FTW: 0xFFFF, MXCSR: 0x1F80}
X87 = (FCW, FSW, FTW, *range(machine.REG_FP0, machine.REG_FP0 + 8))
SSE = tuple(range(machine.REG_XMM0, machine.REG_XMM0 + 16))


@pytest.mark.parametrize("used", range(8))
@pytest.mark.parametrize("wanted", range(8))
def test_components_of_the_state(used: int, wanted: int) -> None:
    """x87 (1), SSE (2), AVX (4): what is wanted comes from the image, or is initial if not in use there."""
    source: Any = Engine(top=3)
    source.held[FTW] = 0b11_00_00_00_11_00_11_00
    image = xstate.save(source)
    assert len(image) == 832 and image[576:] == source.upper and image[512:576] == b"\7" + bytes(63)
    image = image[:512] + bytes((used,)) + image[513:]
    engine: Any = Engine(top=5)
    engine.held[FTW] = 0b00_11_00_00_11_00_00_00
    before, upper = whole(engine)
    xstate.load(engine, image, wanted)
    expected = dict(before)
    if wanted & 1:
        expected |= {number: source.held[number] if used & 1 else INITIAL.get(number, 0) for number in X87}
    if wanted & 2:
        expected |= {number: source.held[number] if used & 2 else 0 for number in SSE}
    if wanted & 6:
        expected[MXCSR] = source.held[MXCSR]
    assert engine.held == expected
    assert engine.upper == ((source.upper if used & 4 else bytes(256)) if wanted & 4 else upper)


def test_components_in_use() -> None:
    engine: Any = Engine()
    assert xstate.save(engine)[512] == 7
    engine.upper = bytes(256)
    assert xstate.save(engine)[512] == 3
    for number in SSE:
        engine.held[number] = 0
    assert xstate.save(engine)[512] == 1
    engine.upper = bytes(255) + b"\1"
    engine.held[SSE[15]] = 1 << 127
    assert xstate.save(engine)[512] == 7


def test_the_state_in_a_signal_frame() -> None:
    """Its marks tell how long it is: one that a program has broken is that of fxsave alone."""
    plain: Any = Engine(vectors=False)
    assert xstate.frame_size(plain) == 512 and xstate.frame(plain) == xstate.save_floating(plain)
    source: Any = Engine(top=2)
    source.held[FTW] = 0b11_00_00_00_11_00_11_00
    frame = xstate.frame(source)
    assert len(frame) == xstate.frame_size(source) == 836
    assert frame[464:512] == struct.pack("<IIQI28x", 0x46505853, 836, 7, 832) and frame[832:] == b"EXPF"
    engine: Any = Engine(top=6)
    xstate.load_frame(engine, frame)
    assert whole(engine) == whole(source)
    for at in (464, 480, 832):
        broken = bytearray(frame)
        broken[at] ^= 1
        engine = Engine(top=6)
        xstate.load_frame(engine, bytes(broken))
        assert whole(engine) == (source.held, bytes(256))
    some = bytearray(frame)
    some[472] = 5  # components that count: not SSE
    engine = Engine(top=6)
    xmm = [engine.held[number] for number in SSE]
    xstate.load_frame(engine, bytes(some))
    assert [engine.held[number] for number in SSE] == xmm and engine.upper == source.upper
    plain.upper = b"kept"
    xstate.load_frame(plain, frame[:512])
    assert plain.held == source.held and plain.upper == b"kept"


@pytest.mark.parametrize(("number", "tag"), [
    (b"\0" * 10, 1), (b"\1" + b"\0" * 9, 2), (b"\0" * 7 + b"\x80\xff\x3f", 0),
    (b"\0" * 7 + b"\x7f\xff\x3f", 2),
    (b"\0" * 7 + b"\x80\xff\x7f", 2), (b"\0" * 7 + b"\x80\xff\xff", 2), (b"\0" * 9 + b"\x80", 1),
    (b"\0" * 7 + b"\x80\x01\x80", 0)])
def test_tags_for_debuggers(number: bytes, tag: int) -> None:
    """Of a plain number, zero, or something special: what `fsave` computes anew."""
    image = struct.pack("<HHB", 0x37F, 0, 1).ljust(32, b"\0") + number.ljust(16, b"\0") + bytes(464)
    legacy = xstate.legacy(image)
    assert len(legacy) == 108 and struct.unpack_from("<3I", legacy) == (
        0xFFFF037F, 0xFFFF0000, 0xFFFFFFFC | tag)
    assert legacy[28:38] == number
