"""Registers as `fxsave` and `xsave` store them: 512 bytes, and with AVX the upper halves of vectors.

Layouts are those of Intel's manual, volume 1, chapters 10 and 13.  A signal frame has besides, as
<asm/sigcontext.h> tells: a mark and sizes in bytes that are software's, and a second mark behind.
"""

from __future__ import annotations

import struct

from runtime.kernel.cpu.x86 import engine as cpu

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.engine import Engine

FXSAVE_SIZE, HEADER_SIZE, UPPER_SIZE = 512, 64, 256
XSAVE_SIZE = FXSAVE_SIZE + HEADER_SIZE + UPPER_SIZE
FLOATING, SSE, AVX = 1, 2, 4  # components of the state
ALL = FLOATING | SSE | AVX
# which components what lies where belongs to
PARTS = ((FLOATING, 0, 24), (SSE | AVX, 24, 32), (FLOATING, 32, 160), (SSE, 160, 416), (AVX, 576, 832))
MXCSR_AT, STACK_AT, VECTORS_AT, SOFTWARE_AT = 24, 32, 160, 464  # in the first 512 bytes
UPPER_AT = FXSAVE_SIZE + HEADER_SIZE
MAGIC, MAGIC_AFTER = 0x46505853, struct.pack("<I", 0x46505845)
VALID, ZERO, SPECIAL, EMPTY = range(4)  # tags of x87 registers
LEGACY_SIZE = 108  # bytes of what `fsave` stores
INITIAL_MXCSR = 0x1F80
INITIAL = struct.pack("<H22xII", 0x37F, INITIAL_MXCSR, 0xFFFF).ljust(FXSAVE_SIZE, b"\0")


def save_floating(engine: Engine) -> bytes:
    """Return the fxsave image of the floating-point registers, 512 bytes."""
    read = engine.read_register
    status, tags = read(cpu.REG_FPSW, 2), read(cpu.REG_FPTAG, 2)
    abridged = sum(1 << number for number in range(8) if tags >> 2 * number & 3 != 3)
    head = struct.pack("<HHBxHQQII", read(cpu.REG_FPCW, 2), status, abridged, 0, 0, 0, read(cpu.REG_MXCSR, 4),
                       0xFFFF)
    top = status >> 11 & 7
    stack = b"".join(read(cpu.REG_FP0 + (top + number) % 8, 10).to_bytes(16, "little") for number in range(8))
    vectors = b"".join(read(cpu.REG_XMM0 + number, 16).to_bytes(16, "little") for number in range(16))
    return (head + stack + vectors).ljust(FXSAVE_SIZE, b"\0")


def load_floating(engine: Engine, image: bytes) -> None:
    """Set the floating-point registers from an fxsave image."""
    write = engine.write_register
    control, status, abridged = struct.unpack_from("<HHB", image)
    write(cpu.REG_FPCW, control, 2)
    write(cpu.REG_FPSW, status, 2)
    tags = sum(3 << 2 * number for number in range(8) if not abridged >> number & 1)
    write(cpu.REG_FPTAG, tags, 2)
    write(cpu.REG_MXCSR, struct.unpack_from("<I", image, MXCSR_AT)[0] & 0xFFFF, 4)
    top = status >> 11 & 7
    for number in range(8):
        at = STACK_AT + 16 * number
        write(cpu.REG_FP0 + (top + number) % 8, int.from_bytes(image[at:at + 10], "little"), 10)
    for number in range(16):
        at = VECTORS_AT + 16 * number
        write(cpu.REG_XMM0 + number, int.from_bytes(image[at:at + 16], "little"), 16)


def legacy(image: bytes) -> bytes:
    """Return the 108 bytes that `fsave` stores, and that debuggers of i386 programs know, from an image."""
    control, status, abridged = struct.unpack_from("<HHB", image)
    stack = [image[at:at + 10] for at in range(STACK_AT, VECTORS_AT, 16)]
    tags = sum((_tag(stack[number - (status >> 11) & 7]) if abridged >> number & 1 else EMPTY) << 2 * number
               for number in range(8))
    return struct.pack("<7I", *(word | 0xFFFF0000 for word in (control, status, tags)), 0, cpu.CODE32, 0,
                       cpu.DATA | 0xFFFF0000) + b"".join(stack)


def with_legacy(image: bytes, data: bytes) -> bytes:
    """Return an image that has the x87 registers of what `fsave` stores."""
    control, status, tags = struct.unpack_from("<HxxHxxH", data)
    abridged = sum(1 << number for number in range(8) if tags >> 2 * number & 3 != EMPTY)
    stack = b"".join(data[at:at + 10].ljust(16, b"\0") for at in range(28, LEGACY_SIZE, 10))
    return struct.pack("<HHB", control, status, abridged) + image[5:STACK_AT] + stack + image[VECTORS_AT:]


def _tag(number: bytes) -> int:
    """Return the tag of an x87 register that is in use: of a plain number, zero, or something special."""
    exponent = int.from_bytes(number[8:], "little") & 0x7FFF
    if exponent == 0:
        return SPECIAL if any(number[:8]) else ZERO
    return VALID if exponent != 0x7FFF and number[7] & 0x80 else SPECIAL


def save(engine: Engine) -> bytes:
    """Return the whole state, 832 bytes: what `xsave` stores of all components."""
    image, upper = save_floating(engine), engine.upper_halves()
    used = FLOATING | (SSE if any(image[VECTORS_AT:SOFTWARE_AT - 48]) else 0) | (AVX if any(upper) else 0)
    return image + struct.pack("<Q56x", used) + upper


def load(engine: Engine, image: bytes, wanted: int = ALL) -> None:
    """Set components of the state from such an image; those that it says are not in use become initial."""
    (used,) = struct.unpack_from("<Q", image, FXSAVE_SIZE)
    old = save_floating(engine)

    def part(component: int, start: int, end: int) -> bytes:
        source = image if used & component else INITIAL
        return source[start:end] if wanted & component else old[start:end]
    mxcsr = image[MXCSR_AT:STACK_AT] if wanted & (SSE | AVX) else old[MXCSR_AT:STACK_AT]
    load_floating(engine, part(FLOATING, 0, MXCSR_AT) + mxcsr + part(FLOATING, STACK_AT, VECTORS_AT)
                  + part(SSE, VECTORS_AT, FXSAVE_SIZE))
    if wanted & AVX:
        upper = image[UPPER_AT:UPPER_AT + UPPER_SIZE]
        engine.set_upper_halves(upper if used & AVX else bytes(UPPER_SIZE))


def frame_size(engine: Engine) -> int:
    """Return the bytes of the state in a signal frame."""
    return XSAVE_SIZE + len(MAGIC_AFTER) if engine.vectors else FXSAVE_SIZE


def frame(engine: Engine) -> bytes:
    """Return the state as a signal frame has it."""
    if not engine.vectors:
        return save_floating(engine)
    software = struct.pack("<IIQI28x", MAGIC, frame_size(engine), ALL, XSAVE_SIZE)
    image = save(engine)
    return image[:SOFTWARE_AT] + software + image[FXSAVE_SIZE:] + MAGIC_AFTER


def load_frame(engine: Engine, image: bytes) -> None:
    """Set the state from what a signal frame has, `frame_size` bytes; its marks tell whether all count."""
    if engine.vectors:
        mark, _extended, wanted, size = struct.unpack_from("<IIQI", image, SOFTWARE_AT)
        if mark == MAGIC and size == XSAVE_SIZE and image[size:] == MAGIC_AFTER:
            load(engine, image, wanted & ALL)
            return
        engine.set_upper_halves(bytes(UPPER_SIZE))
    load_floating(engine, image[:FXSAVE_SIZE])
