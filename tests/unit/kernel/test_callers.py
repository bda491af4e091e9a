"""Callers of code that no call frame information describes: what it does, and what is stored, tells."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import assembler
import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.arm64 import unwind, vdso
from runtime.kernel.cpu.callframes import Common, Frame, Row
from runtime.kernel.cpu.x86.codewalk import MOST, NAMES, Follower

CODE, STACK, CALLER = 0x400000, 0x7000, 0x500007
CALL = b"\x90\x90\xe8\0\0\0\0"  # before an address to which a function may return
MARK = bytes.fromhex("f1f2f3f4f5f6f7f8")  # between pieces of code that are assembled at once


class Memory:
    """Pieces of memory by where they begin."""

    def __init__(self, pieces: dict[int, bytes]) -> None:
        self.pieces = pieces

    def read(self, address: int, size: int) -> bytes:
        for start, data in self.pieces.items():
            if start <= address <= address + size <= start + len(data):
                return data[address - start:address - start + size]
        raise MemoryFault(address)


def assembled(machine: str, texts: list[str]) -> list[bytes]:
    data = assembler.assemble(machine, f"\n.quad {int.from_bytes(MARK, 'little')}\n".join(texts))
    return data.split(MARK)


# code of x86: the place of the return address on the stack; what registers are then (None: not known), each
# of which is its DWARF number and 1 at first, but for the stack pointer and, two words above that, the frame
# pointer.  The words of the stack are 0x100, 0x101, ...  (None: no caller is found)
Case = tuple[str, int, dict[str, int | None] | None]
AMD64: list[Case] = [
    ("ret", 0, {"rax": 1, "rbx": 4, "r15": 16}), ("ret", 1, None),
    ("pop rbx; pop rbp; ret", 2, {"rbx": 0x100, "rbp": 0x101}),
    ("pop r12; pop rcx; pop rcx; ret", 3, {"r12": 0x100, "rcx": 0x102}),
    ("add rsp, 24; ret", 3, {}), ("sub rsp, -16; ret", 2, {}), ("sub rsp, 16; add rsp, 24; ret", 1, {}),
    ("add rsp, rax; add rsp, 7; ret", 1, {}), ("add rsp, [rsp]; sub rsp, 0xf8; ret", 1, {}),
    ("lea rsp, [rsp + 40]; ret", 5, {}),
    ("lea rsp, [rbp - 8]; pop rbx; pop rbp; ret", 3, {"rbx": 0x101, "rbp": 0x102}),
    ("leave; ret", 3, {"rbp": 0x102}), ("mov rsp, rbp; pop rbp; ret", 3, {"rbp": 0x102}),
    ("add rsp, 15; and rsp, -16; ret", 0, {}), ("add rsp, 24; and rsp, -16; ret", 2, {}),
    ("push rax; push 5; pop rcx; pop rdx; ret", 0, {"rcx": 5, "rdx": 1, "rax": 1}),
    ("push -1; pop rcx; ret", 0, {"rcx": (1 << 64) - 1}),
    ("mov [rsp + 8], rbx; mov rcx, [rsp + 8]; ret", 0, {"rcx": 4, "rbx": 4}),
    ("mov [rsp - 8], rsp; mov rdi, [rsp - 8]; ret", 0, {"rdi": STACK}),
    ("mov qword ptr [rsp + 16], 9; pop rax; pop rax; pop rax; ret", 3, {"rax": 9}),
    ("mov rsi, [rbp + 8]; ret", 0, {"rsi": 0x103}), ("mov rsi, [rip + 1]; ret; .quad 77", 0, {"rsi": 77}),
    ("mov r9, 17; ret", 0, {"r9": 17}), ("mov rdx, rdi; ret", 0, {"rdx": 6}),
    ("mov rax, [rax]; ret", 0, {"rax": None}), ("mov rax, rbx; mov rbx, [rax]; ret", 0, {"rbx": None}),
    ("lea rax, [rip + 16]; ret", 0, {"rax": CODE + 23}), ("lea rax, [0x1234]; ret", 0, {"rax": 0x1234}),
    ("lea rcx, [rbx + rcx]; ret", 0, {"rcx": None}), ("mov rcx, fs:[8]; ret", 0, {"rcx": None}),
    ("sub rbx, 5; ret", 0, {"rbx": (1 << 64) - 1}), ("and r15, 24; ret", 0, {"r15": 16}),
    # what is written in part, or by what is not followed, is not known
    ("mov eax, 5; ret", 0, {"rax": None, "rcx": 3}), ("xor r8d, r8d; ret", 0, {"r8": None, "r9": 10}),
    ("mov bpl, 1; ret", 0, {"rbp": None, "rbx": 4}), ("mov ah, 1; ret", 0, {"rax": None}),
    ("sete dl; ret", 0, {"rdx": None}), ("mov r15w, 1; ret", 0, {"r15": None}),
    ("mov sil, 3; ret", 0, {"rsi": None}), ("mov di, 3; ret", 0, {"rdi": None}),
    ("mov r10b, 1; ret", 0, {"r10": None, "r11": 12}), ("cdq; ret", 0, {"rdx": None}),
    ("imul rbx, rbx; ret", 0, {"rbx": None}), ("movzx ecx, al; ret", 0, {"rcx": None, "rax": 1}),
    ("shl r13, 3; ret", 0, {"r13": None}), ("mov rax, rax; mov rcx, rcx; ret", 0, {"rax": 1, "rcx": 3}),
    ("mov dword ptr [rsp + 8], 5; add rsp, 8; ret", 1, {}), ("add [rsp], rax; ret", 0, {}),
    ("push qword ptr [rax]; pop rcx; ret", 0, {"rcx": None}), ("push ax; ret", 1, None),
    ("test eax, eax; cmp rbx, rcx; nop; ret", 0, {"rax": 1, "rbx": 4, "rcx": 3}),
    ("call 1f; ret; 1: hlt", 0, {
        **dict.fromkeys(("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")),
        "rbx": 4, "rbp": STACK + 16, "r12": 13, "r13": 14, "r14": 15, "r15": 16}),
    ("mov rsp, r8; add rsp, 0x6ff7; ret", 0, {}), ("imul r8, r8; mov rsp, r8; ret", 0, None),
    ("mov rsp, [rax]; ret", 0, None), ("mov rsp, fs:[8]; ret", 0, None), ("add rsp, fs:[0]; ret", 0, None),
    ("mov esp, ebp; pop rax; push rax; leave; ret", 3, {"rax": None, "rbp": 0x102}),
    ("imul rbp, rbp; leave; ret", 3, None), ("imul rsp, rbx; pop rax; ret", 1, None),
    # other ways through the code
    ("jmp 1f; ud2; 1: add rsp, 8; ret", 1, {}), ("je 1f; add rsp, 8; ret; 1: ret", 1, {}),
    ("je 1f; add rsp, 8; ret; 1: ret", 0, {}),
    ("jne 1f; pop rbx; ud2; 1: pop rax; ret", 1, {"rax": 0x100, "rbx": 4}),
    ("mov [rsp], rbx; jne 1f; mov [rsp], rcx; ud2; 1: pop rax; ret", 1, {"rax": 4}),
    ("1: dec ecx; jne 1b; ret", 0, {"rcx": None}), ("1: jmp 1b", 0, None), ("jrcxz 1f; hlt; 1: ret", 0, {}),
    ("jmp rax", 0, {}), ("jmp rax", 1, {}), ("jmp [rax]", 2, {}), ("jmp rax", 3, None),
    ("nop; " * (MOST - 1) + "ret", 0, {}), ("nop; " * MOST + "ret", 0, None),
    # what does not return has its return address on top as it begins
    ("push rbp; ud2", 0, {}), ("mov rbp, rsp; hlt", 1, {}), ("endbr64; push rbp; int3", 0, {}),
    ("endbr64; mov rbp, rsp; ud2", 1, {}), ("push rbp; ud2", 1, None), ("mov rbp, rsp; ud2", 0, None),
    ("push rbx; ud2", 0, None), ("ud2", 0, None), ("endbr64; ud2", 0, None)]
I386: list[Case] = [
    ("ret", 0, {"eax": 1, "ebx": 4, "edi": 8}), ("pop ebx; pop esi; ret", 2, {"ebx": 0x100, "esi": 0x101}),
    ("leave; ret", 3, {"ebp": 0x102}), ("add esp, 12; ret", 3, {}),
    ("push 7; pop edi; ret", 0, {"edi": 7}),
    ("lea esp, [ebp - 4]; pop edx; ret", 2, {"edx": 0x101}), ("mov ecx, [0x7004]; ret", 0, {"ecx": 0x101}),
    ("mov [esp + 4], eax; mov ecx, [esp + 4]; ret", 0, {"ecx": 1}),
    ("sub ecx, 3; ret", 0, {"ecx": 0xFFFFFFFF}),
    ("mov ax, 1; ret", 0, {"eax": None, "ecx": 2}), ("mov ch, 1; ret", 0, {"ecx": None}),
    ("mov al, 1; mov bl, 1; mov dl, 1; ret", 0, {"eax": None, "ebx": None, "edx": None, "ecx": 2}),
    ("mov si, 1; inc edi; ret", 0, {"esi": None, "edi": None}), ("mov bp, 1; leave; ret", 3, None),
    ("call 1f; ret; 1: hlt", 0, {"eax": None, "ecx": None, "edx": None, "ebx": 4, "esi": 7, "edi": 8}),
    ("jmp eax", 2, {}), ("endbr32; push ebp; ud2", 0, {}), ("mov ebp, esp; ud2", 1, {}),
    ("endbr32; mov ebp, esp; hlt", 1, {}), ("push ebp; ud2", 1, None)]


def caller(bits: int, code: bytes, slot: int, before: bytes = CALL, behind: bytes = bytes(20)) -> Any:
    size = bits // 8
    stack = b"".join((CALLER if at == slot else 0x100 + at).to_bytes(size, "little") for at in range(40))
    memory = Memory({CODE: code + bytes(20), STACK: stack, CALLER - 7: before + behind})
    registers = {number: number + 1 for number in range(len(NAMES[bits]))}
    for name, value in (("sp", STACK), ("bp", STACK + 2 * size)):
        registers[NAMES[bits].index("re"[bits == 32] + name)] = value
    return Follower(memory.read, bits).caller(CODE, registers)


@pytest.mark.parametrize(("bits", "machine", "cases"), [(64, "amd64", AMD64), (32, "i386", I386)])
def test_where_code_returns(bits: int, machine: str, cases: list[Case]) -> None:
    wrong = []
    pointer = "re"[bits == 32] + "sp"
    for (text, slot, expected), code in zip(cases, assembled(machine, [case[0] for case in cases]),
                                            strict=True):
        found = caller(bits, code, slot)
        if expected is None:
            wrong += [f"{text}: {found}"] if found is not None else []
            continue
        named = {} if found is None else {NAMES[bits][number]: value for number, value in found[1].items()}
        expected = {pointer: STACK + (slot + 1) * bits // 8, **expected}
        if found is None or found[0] != CALLER or {name: named.get(name) for name in expected} != expected:
            wrong.append(f"{text}: {found and hex(found[0])} {named}, not {expected}")
    assert wrong == []


RET = b"\xc3"


@pytest.mark.parametrize(("before", "behind", "bits", "may"), [
    (CALL, b"", 64, True), (b"\xe8" + bytes(6), b"", 64, False), (b"\0\0\0\xe8\0\0\0", b"", 64, False),
    (b"\0\0\0\0\0\xff\xd0", b"", 64, True), (b"\0\0\0\0\xff\x50\x08", b"", 64, True),
    (b"\0\0\0\xff\x54\x24\x08", b"", 64, True), (b"\0\0\0\0\0\xff\xe0", b"", 64, False),
    (b"\0\xff\x15\0\0\0\0", b"", 64, True), (b"\xff\x94\x24\0\0\0\0", b"", 64, True),
    (b"\0\0\0\0\0\xff\xd8", b"", 64, False), (b"\0\0\xff\x10\0\0\0", b"", 64, False),
    (bytes(7), bytes.fromhex("48c7c00f0000000f05"), 64, True),
    (bytes(7), bytes.fromhex("58b877000000cd80"), 32, True),
    (bytes(7), bytes.fromhex("b8ad000000cd80"), 32, True),
    (bytes(7), bytes.fromhex("b8ae000000cd80"), 32, False)])
def test_what_may_be_returned_to(before: bytes, behind: bytes, bits: int, may: bool) -> None:
    """What a call is before, and where handlers of signals return to."""
    assert (caller(bits, RET, 0, before, behind + bytes(20)) is not None) is may


def test_code_at_the_end_of_memory_and_code_that_changes() -> None:
    stack = CALLER.to_bytes(8, "little") + bytes(8) + CALLER.to_bytes(8, "little")
    memory = Memory({0x400FF0: b"\x90" * 15 + RET, STACK: stack, CALLER - 7: CALL + bytes(20)})
    follower = Follower(memory.read, 64)
    assert follower.caller(0x400FFA, {7: STACK}) == (CALLER, {7: STACK + 8})
    memory.pieces[0x400FF0] = b"\x90" * 13 + b"\x58\x58" + RET  # twice pop rax
    assert follower.caller(0x400FFA, {7: STACK}) == (CALLER, {7: STACK + 24, 0: 0})
    memory.pieces[0x401000] = bytes(4096)
    memory.pieces[0x400FF0] = b"\x90" * 15 + b"\x48"
    memory.pieces[0x401000] = b"\x83\xc4\x10" + RET + bytes(4092)  # add rsp, 16 lies in two pages
    assert follower.caller(0x400FFF, {7: STACK}) == (CALLER, {7: STACK + 24})
    assert follower.caller(0x402000, {7: STACK}) is None


# -- AArch64 -------------------------------------------------------------------------------------------

LINK, RECORD, STORED, OUTER = 0x401004, STACK + 32, 0x402008, STACK + 64
PUSHED, AWAY = "stp x29, x30, [sp, #-16]!", "nop; " * 1022
# code before the program counter: whether the caller is the one that X30 tells, and not the frame record
BEFORE = {
    "nop": True, PUSHED: False, f"{PUSHED}; mov x29, sp": False, f"{PUSHED}; ldp x29, x30, [sp], #16": True,
    "sub sp, sp, #48; stp x29, x30, [sp, #32]": False, "stp x29, x30, [sp]; ldp x29, x30, [sp, #32]": True,
    "str x30, [sp, #-32]!": False, "str x30, [sp, #-32]!; ldr x30, [sp], #32": True,
    "str x30, [sp, #8]": False, "str x30, [sp, #8]; ldr x30, [sp, #8]": True, f"{PUSHED}; ret": True,
    f"{PUSHED}; retaa": True, f"{PUSHED}; retab": True, f"{PUSHED}; ret x1": False,
    "stp x29, x30, [x0]": True, "stp x19, x30, [sp, #-16]!": True, "str x29, [sp, #8]": True,
    "str x30, [x1, #8]": True,
    f"{PUSHED}; ldp x29, x30, [x1]": False, f"{PUSHED}; ldr x29, [sp], #32": False,
    f"{PUSHED}; {AWAY}": False, f"{PUSHED}; {AWAY} nop": True, "ret; nop": True}


def arm(code: bytes, pc: int, *, stack: int = STACK, link: int = LINK, record: int = RECORD,
        limit: int = 10, **pieces: bytes) -> list[tuple[int, int]]:
    """The frames of a thread whose code ends at `pc`."""
    chain = {RECORD: struct.pack("<QQ", OUTER, 0x5A << 56 | STORED), OUTER: struct.pack("<QQ", 0, 0)}
    memory = Memory({pc - len(code): code, **chain,
                     **{int(place[1:], 16): data for place, data in pieces.items()}})
    executable = SimpleNamespace(prot=5, path=b"")
    space = SimpleNamespace(find=lambda at: executable if at >= CODE else None, read=memory.read, text=None,
                            areas=[executable])
    regs = [0] * 29 + [record, link, stack]
    process = SimpleNamespace(space=space)
    thread: Any = SimpleNamespace(pc=pc, regs=regs, read_text=memory.read, process=process)
    return unwind.user_frames(thread, limit)


def test_callers_of_aarch64() -> None:
    """By X30 while a function has not stored it, then by the frame record; signatures are left out."""
    for text, code in zip(BEFORE, assembled("arm64", list(BEFORE)), strict=True):
        pc = CODE + 0x2000 + len(code)
        first = [(LINK, RECORD)] if BEFORE[text] else []
        assert arm(code, pc, link=0xAB << 56 | LINK) == [(pc, RECORD), *first, (STORED, OUTER)], text
    assert arm(b"", CODE + 8) == [(CODE + 8, RECORD), (LINK, RECORD), (STORED, OUTER)]
    assert arm(b"", CODE + 8, limit=2) == [(CODE + 8, RECORD), (LINK, RECORD)]
    assert arm(b"", CODE + 8, record=0) == [(CODE + 8, 0), (LINK, 0)]
    assert arm(b"", CODE + 8, stack=RECORD) == [(CODE + 8, RECORD), (LINK, RECORD), (STORED, OUTER)]
    assert arm(b"", CODE + 8, stack=RECORD + 1) == [(CODE + 8, RECORD), (LINK, RECORD)]
    assert arm(b"", CODE + 8, link=0x1000) == [(CODE + 8, RECORD)]
    assert arm(b"", CODE + 8, record=0x9000) == [(CODE + 8, 0x9000), (LINK, 0x9000)]


STUB = "stp x16, x30, [sp, #-16]!"


@pytest.mark.parametrize(("text", "within"), [
    (STUB, True), (f"{STUB}; nop; nop; nop", True), (f"{STUB}; nop; nop; nop; nop", False),
    (f"{STUB}; br x17; nop", False), ("nop; nop", False), ("", False), ("stp x16, x30, [sp, #-32]!", False)])
def test_a_stub_that_has_stored_the_return_address(text: str, within: bool) -> None:
    """16 bytes of the stack are its own: what lies in them is no frame record."""
    code = assembler.assemble("arm64", text) if text else b""
    found = arm(code, CODE + 0x100, stack=RECORD - 15)
    assert found == [(CODE + 0x100, RECORD), (LINK, RECORD), *([] if within else [(STORED, OUTER)])]


@pytest.mark.parametrize(("offset", "signal"), [(0, True), (4, True), (8, True), (-4, False), (12, False)])
def test_what_a_signal_has_interrupted(offset: int, signal: bool) -> None:
    """Registers lie on the stack where a handler returns to, as <asm/ucontext.h> says."""
    context = struct.pack("<Q31QQQQ8x", 0, *range(29), RECORD, LINK, STACK, CODE + 16, 0)
    pc = vdso.BASE + vdso.SIGNAL_RETURN + offset
    found = arm(b"", pc, stack=0x9000, record=0, **{f"_{0x9000 + 128 + 176:x}": context})
    callers = [(CODE + 16, RECORD), (LINK, RECORD), (STORED, OUTER)]
    assert found == [(pc, 0), *(callers if signal else [(LINK, 0)])]


def test_room_above_a_frame_without_a_stack_pointer() -> None:
    memory = Memory({STACK: (0x77 << 56 | STORED).to_bytes(8, "little") + bytes(8)})
    common = Common(1, -8, 30, 0, False, False, (0, 0))
    for rules, pointer in (({}, STACK + 24), ({31: ("undefined", 0, b"")}, None)):
        row = Row((31, 16), None, {30: ("offset", -16, b""), **rules})
        frame = Frame({31: STACK}, CODE, True)
        found = unwind._by_rules(memory, frame, row, common, 8)  # type: ignore[arg-type]
        assert found is not None and (found.pc, found.registers.get(31)) == (STORED, pointer)
