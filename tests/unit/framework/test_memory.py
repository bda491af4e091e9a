"""Memory as DIF sees it: arenas, the kernel behind them, and where variables may be stored to."""

from __future__ import annotations

import pytest

from dif import isa
from dif.assembler import assemble
from dif.difo import DifType, DifVar
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.base.host import MemoryFault
from runtime.framework.firing.code import Code
from runtime.framework.firing.dynamicvariables import DynamicVariables
from runtime.framework.firing.memory import (
    CONSTANTS,
    DYNAMICS,
    SCRATCH,
    STATICS,
    STRINGS,
    AlignedMemory,
    Memory,
    Strings,
    base,
)
from runtime.framework.firing.uservariables import UserVariables

PAGE = 4096
KERNEL = 0xFFFFFE0000010000


class Kernel:
    """Two pages with a hole between."""

    def __init__(self) -> None:
        self._pages = {KERNEL: b"first\0" + bytes(PAGE - 6), KERNEL + 2 * PAGE: b"x" * PAGE}

    def load(self, address: int, size: int) -> bytes:
        found = b""
        while len(found) < size:
            at = address + len(found)
            page = self._pages.get(at & -PAGE)
            if page is None:
                raise MemoryFault(at)
            found += page[at % PAGE:][:size - len(found)]
        return found


def memory(kind: type[Memory] = Memory) -> Memory:
    """Constants of eight bytes, and scratch space of sixteen."""
    made = kind(Kernel(), Strings())  # type: ignore[arg-type]
    made.constants += b"\1\2\3\4\5\6\7\x08"
    made.arenas[SCRATCH] = bytearray(b"sixteen bytes...")
    return made


def fault(read: object, *arguments: object) -> tuple[FaultKind, int]:
    with pytest.raises(DifFault) as caught:
        read(*arguments)  # type: ignore[operator]
    return caught.value.kind, caught.value.address


def test_loads() -> None:
    """Of an arena with zeros behind its end, where none may begin; of the kernel what it has."""
    made, here = memory(), base(CONSTANTS)
    assert made.load(here, 8) == b"\1\2\3\4\5\6\7\x08"
    assert made.load(here + 6, 5) == b"\7\x08\0\0\0"
    assert fault(made.load, here + 8, 1) == (FaultKind.BADADDR, here + 8)
    assert fault(made.load, here, (1 << 24) + 1) == (FaultKind.BADADDR, here)
    assert len(made.load(here, 1 << 24)) == 1 << 24
    assert fault(made.load, KERNEL, (1 << 24) + 1) == (FaultKind.BADADDR, KERNEL)
    assert made.load(KERNEL, 6) == b"first\0"
    assert fault(made.load, KERNEL + PAGE - 2, 4) == (FaultKind.BADADDR, KERNEL + PAGE)
    assert [made.u8(here + 1), made.u16(here + 1), made.u32(here + 1), made.u64(here)] == [
        0x02, 0x0302, 0x05040302, 0x0807060504030201]


def test_loads_that_tell_the_last_bad_byte() -> None:
    """A page is there or not; what is bad is told from the end."""
    made = memory()
    for start, size, last in ((KERNEL + PAGE - 2, 4, 1), (KERNEL + PAGE - 2, PAGE + 2, PAGE - 1),
                              (KERNEL + PAGE - 2, PAGE + 10, PAGE - 1), (KERNEL + PAGE, 1, 0),
                              (KERNEL + PAGE + 5, 10, 14), (KERNEL + 3 * PAGE - 4, 10, 2 * PAGE + 5)):
        assert fault(made.load_to_end, start, size) == (FaultKind.BADADDR, KERNEL + PAGE + last)
    assert made.load_to_end(KERNEL, 5) == b"first"


def test_strings() -> None:
    made = memory()
    scratch = base(SCRATCH)
    for limit, text in ((0, b""), (3, b"six"), (16, b"sixteen bytes..."), (99, b"sixteen bytes...")):
        assert made.string(scratch, limit) == text
    made.poke(scratch + 7, b"\0")
    found = [made.string(scratch, limit) for limit in (6, 7, 8, 99)]
    assert found == [b"sixtee", b"sixteen", b"sixteen", b"sixteen"]
    assert made.string(scratch + 8, 99) == b"bytes..."
    assert made.string(scratch + 16, 0) == b""
    assert fault(made.string, scratch + 16, 1) == (FaultKind.BADADDR, scratch + 16)
    assert made.string(KERNEL, 99) == b"first" and made.string(KERNEL, 4) == b"firs"
    assert made.string(KERNEL + 2 * PAGE, 300) == b"x" * 300 and made.string(KERNEL + 2 * PAGE, 0) == b""
    assert fault(made.string, KERNEL + 3 * PAGE - 9, 10) == (FaultKind.BADADDR, KERNEL + 3 * PAGE)
    assert made.string(KERNEL + 3 * PAGE - 9, 9) == b"x" * 9


def test_strings_of_the_kernel() -> None:
    """Each has one address, as long as there are any; what stands behind a NUL is no part of it."""
    strings = Strings()
    found = [strings.intern(text) for text in (b"a", b"bc", b"a", b"", b"bc\0d", b"bc")]
    assert found == [base(STRINGS) + at for at in (0, 2, 0, 5, 6, 2)]
    assert strings.data == b"a\0bc\0\0bc\0"
    made = memory()
    tables = [made.add_constants(table) for table in (b"\0one", b"\0two", b"\0one")]
    assert tables == [base(CONSTANTS) + at for at in (8, 13, 8)]


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_boundaries(size: int) -> None:
    """A processor that loads integers from multiples of their sizes only faults, memory or not."""
    plain, aligned = memory(), memory(AlignedMemory)
    name = f"u{8 * size}"
    for at in range(17):
        for start in (base(SCRATCH), KERNEL + PAGE - 8):
            address = start + at
            if at % size:
                assert fault(aligned.scalar, address, size) == (FaultKind.BADALIGN, address)
                assert fault(getattr(aligned, name), address) == (FaultKind.BADALIGN, address)
            elif start == base(SCRATCH) and at < 16:
                assert aligned.scalar(address, size) == plain.scalar(address, size)
                assert plain.scalar(address, size) == plain.load(address, size)
                assert getattr(aligned, name)(address) == getattr(plain, name)(address)
            elif at >= 8:
                assert fault(aligned.scalar, address, size)[0] == FaultKind.BADADDR


def test_where_variables_may_be_stored_to() -> None:
    """Within one that is kept by reference, its eight bytes in front included; not across two."""
    variables = UserVariables(2)
    sizes = {0: 16, 1: 5, 3: 32}
    for number, size in sizes.items():
        variables.define(DifVar("", isa.VAR_OTHER_UBASE + number, scope=isa.SCOPE_GLOBAL,
                                type=DifType(flags=isa.TF_BYREF, size=size)))
    variables.define(DifVar("", isa.VAR_OTHER_UBASE + 2, scope=isa.SCOPE_GLOBAL, type=DifType(size=8)))
    assert variables.global_data.keys() == sizes.keys() and len(variables.globals) == 4
    places = {number: address - base(STATICS) for number, address in variables.global_data.items()}
    inside = {at for number, at in places.items() for at in range(at - 8, at + sizes[number])}
    for at in range(len(variables.storage) + 9):
        for size in (1, 4, 8):
            within = any(start - 8 <= at and at + size <= start + sizes[number]
                         for number, start in places.items())
            assert variables.writable(base(STATICS) + at, size) == within, (at, size)
            assert not within or set(range(at, at + size)) <= inside


def test_where_dynamic_variables_may_be_stored_to() -> None:
    """Within the data of one that lives."""
    dynamic = DynamicVariables(4096, 64, 1)
    first, second = (dynamic.allocate(0, dynamic.arrays, (number,), 16, True) for number in (1, 2))
    third = dynamic.allocate(0, dynamic.arrays, (3,), 8, False)
    offset = dynamic.data_at(1)
    starts = [address - base(DYNAMICS) - offset for address in (first, second)]
    assert {start % 64 for start in starts} == {(third - base(DYNAMICS) - offset) % 64}
    for at in range(512):
        for size in (1, 8):
            within = any(start + offset <= at and at + size <= start + 64 for start in starts)
            assert dynamic.writable(base(DYNAMICS) + at, size) == within


def test_variables_that_no_chunk_holds() -> None:
    """They are drops; 0 tells that the clause goes on, a negative number that it has no room."""
    dynamic = DynamicVariables(1024, 64, 1)
    offset = dynamic.data_at(1)
    assert dynamic.allocate(0, dynamic.arrays, (1,), 64 - offset + 1, True) == 0 and dynamic.drops == 1
    assert dynamic.allocate(0, dynamic.arrays, (1,), 64 - offset, True) > 0 and dynamic.drops == 1
    count = 2
    while dynamic.allocate(0, dynamic.arrays, (count,), 8, True) > 0:
        count += 1
    assert dynamic.drops == 2 and len(dynamic.arrays) == count - 1
    assert count == 8


def filled(dynamic: DynamicVariables, cpu: int = 0) -> int:
    """Make variables on a CPU until one is dropped; returns how many there are."""
    count = 0
    while dynamic.allocate(cpu, dynamic.arrays, (cpu, count), 8, True) > 0:
        count += 1
    return count


@pytest.mark.parametrize(("size", "ncpus", "count"), [
    (1024, 1, 6), (1024, 2, 2 + 3), (1024, 3, 1 + 1 + 2), (1024, 6, 6), (1024, 8, 6), (768, 1, 4),
    (352, 1, 1), (353, 1, 2), (353, 4, 2), (64, 1, 1), (64, 4, 1)])
def test_how_many_variables_there_is_room_for(size: int, ncpus: int, count: int) -> None:
    """A kernel has 64 bytes of hash table for each chunk, an even number of them, or one.

    The rest is shared among CPUs in whole chunks, of which each loses the last if it ends at the limit.
    A CPU has what others leave; where a share is no chunk, all is the first one's.
    """
    for cpu in range(ncpus):
        dynamic = DynamicVariables(size, 112, ncpus)
        assert filled(dynamic, cpu) == count and dynamic.drops == 1


def test_memory_of_dynamic_variables_grows() -> None:
    """Up to its most, and no variable is dropped before; one that has gone has to rinse even then."""
    dynamic = DynamicVariables(1024, 128, 2, 1500 * 128)
    table, count = dynamic.arrays, 2 + 2 + 1500 - 1024 // 128
    assert filled(dynamic, 1) == count and dynamic.drops == 1
    chunks = {address - base(DYNAMICS) & -128 for address in table.values()}
    assert len(chunks) == count and max(chunks) == 1499 * 128
    last = max(table.values())
    assert dynamic.writable(last, 64) and not dynamic.writable(last, 65)
    for key in list(table)[:10]:
        dynamic.release(0, table, key)
    assert not filled(dynamic) and (dynamic.drops, dynamic.rinsing_drops) == (1, 1)
    assert filled(dynamic) == 10 and dynamic.drops == 2


def test_variables_are_dropped_while_chunks_are_cleaned() -> None:
    """Which drops they are tells how far the cleaner is."""
    dynamic = DynamicVariables(1024, 128, 1)
    count = filled(dynamic)
    for key in list(dynamic.arrays):
        dynamic.release(0, dynamic.arrays, key)
    assert not filled(dynamic) and (dynamic.drops, dynamic.dirty_drops) == (1, 1)
    dynamic.cleanup()
    assert not filled(dynamic) and dynamic.rinsing_drops == 1
    dynamic.cleanup()
    assert filled(dynamic) == count
    assert (dynamic.drops, dynamic.dirty_drops, dynamic.rinsing_drops) == (2, 1, 1)


PUSHV, PUSHR = "pushtv ctf, %r0, %r0\n", "setx 24, %r1\npushtr ctf, %r1, %r0\n"


@pytest.mark.parametrize(("text", "size"), [
    ("ret %r0", 0), ("ldgaa A, %r1\nret %r1", 0), ("stgs %r0, A\nret %r0", 0),
    ("stts %r0, A\nret %r0", 48 + 16 + 8), ("stgaa %r0, A\nret %r0", 48 + 8),
    ("stgaa %r0, B\nret %r0", 48 + 40),
    (f"{PUSHV}stgaa %r0, A\nret %r0", 48 + 16 + 8), (f"{PUSHR}stgaa %r0, A\nret %r0", 48 + 16 + 24 + 8),
    ("setx 21, %r1\npushtr ctf, %r1, %r0\nstgaa %r0, A\nret %r0", 48 + 16 + 24 + 8),
    ("setx 0, %r1\npushtr string, %r1, %r0\nstgaa %r0, A\nret %r0", 48 + 16 + 256 + 8),
    ("setx 0, %r1\npushtr ctf, %r1, %r0\nstgaa %r0, A\nret %r0", 48 + 16 + 8),
    ("setx 24, %r1\npushtv ctf, %r0, %r0\npushtr ctf, %r1, %r0\nstgaa %r0, A\nret %r0", 0),
    (f"{PUSHR}stgaa %r0, A\npushtr ctf, %r0, %r1\nstgaa %r0, A\nret %r0", 48 + 16 + 24 + 8),
    ("setx 0x7fffffffffffffff, %r1\npushtr ctf, %r1, %r0\nstgaa %r0, A\nret %r0", 0),
    ("setx 0x10000000000, %r1\npushtr ctf, %r1, %r0\nstgaa %r0, A\nret %r0", 48 + 16 + (1 << 40) + 8),
    (f"{PUSHR}popts\nstgaa %r0, A\nret %r0", 48 + 8), (f"popts\n{PUSHV}stgaa %r0, A\nret %r0", 48 + 16 + 8),
    (f"{PUSHR}flushts\n{PUSHV}stgaa %r0, A\nret %r0", 48 + 16 + 8),
    (f"{PUSHR}sttaa %r0, A\nret %r0", 48 + 32 + 24 + 8), (f"{PUSHR}stts %r0, A\nret %r0", 48 + 16 + 8),
    (f"{PUSHR * 8}stgaa %r0, A\nret %r0", 48 + 8 * 40 + 8),
    (f"{PUSHR * 9}stgaa %r0, A\nret %r0", 0), (f"{PUSHV * 9}stgaa %r0, A\nret %r0", 0),
    (f"{PUSHR}stgaa %r0, A\nflushts\nstgaa %r0, A\nret %r0", 48 + 16 + 24 + 8)])
def test_chunks_of_dynamic_variables(text: str, size: int) -> None:
    """As large as the largest that is stored to needs: its head, keys with what is known of them, value."""
    thread = "sttaa" in text or "stts" in text
    scope, kind = ("thread", "scalar" if "stts" in text else "array") if thread else ("global", "array")
    variables = "".join(f'.variable "{name}" {number} {kind} {scope} written ctf integer {size} -\n'
                        for name, number, size in (("A", "0x500", 4), ("B", "0x501", 37)))
    assert Code(assemble(variables + text.replace(", A", ", DT_VAR(1280)").replace(", B", ", DT_VAR(1281)")
                         .replace("ldgaa A", "ldgaa DT_VAR(1280)")), 0).chunk() == size
