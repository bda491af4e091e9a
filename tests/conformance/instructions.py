"""Truth by the host's processor: single instructions leave the same natively and in the machine.

    python tests/conformance/instructions.py [--bits 32] [--executions 100000] [--seed 1] [--seeds 10]
        [--only MNEMONIC] [--modern]

Every form that the decoder knows and the machine offers is tried, with operands in registers, in memory and
relative to %rip, on random and on chosen values.  Compared are general registers, flags that the manual
defines, x87, MMX and SSE registers with their status words, memory, and of faults the signal, its code, trap
and error numbers and addresses.  With --modern it is what `-x processor=x86-64-v3` offers besides: AVX, AVX2,
FMA, F16C, BMI, MOVBE and LZCNT.  The first differences of each form are printed; status 1 if there is any.

Known to differ, and not tried: what names the last x87 instruction and its operand; where `int` with a prefix
is told; what reads the kernel's own tables of descriptors; D9 D8, which nobody documents.  Clock,
random numbers and system calls are the machine's own, so that instructions for these are not tried, either.
On a processor of AMD's those are left out, too, of which AMD's and Intel's manuals tell different things, as
the machine is an Intel: near branches with 66, transfers to no address, far ones, fxsave, loope and loopne
with a prefix, the flags of repeated comparisons that fault, the masks of gathers, which may fault, ldmxcsr,
as MXCSR has a bit more, and int1, which some of their virtual machines tell before it is done.
"""

from __future__ import annotations

import argparse
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path
from typing import NamedTuple

import capstone
from capstone import CsInsn, x86

from runtime.command.command import PROGRAM

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "programs"))

import compilers  # noqa: E402

RECORD = struct.Struct("<QB7x16s")
RESULT = struct.Struct("<16QQ4IQQQ416s256s")
DATA, CODE, SLOT, SLOTS = 0x10000000 + 4096, 0x20000000, 64, 512  # as instructions.c has them
PREFIXES = (b"", b"\x66", b"\xf2", b"\xf3")
MAPS = (b"", b"\x0f", b"\x0f\x38", b"\x0f\x3a")
BASES = {64: ("rbx", "rsi", "rdi", "rbp", "rsp", "r12", "r13", "r14", "r15", "rip"),
         32: ("ebx", "esi", "edi", "ebp", "esp")}
INDICES = {64: ("r8", "invalid", ""), 32: ("invalid", "")}
# What the machine does not offer (CPUID), by capstone's group.
MISSING = {x86.X86_GRP_AVX, x86.X86_GRP_AVX2, x86.X86_GRP_AVX512, x86.X86_GRP_FMA, x86.X86_GRP_FMA4,
           x86.X86_GRP_XOP, x86.X86_GRP_TBM, x86.X86_GRP_SHA, x86.X86_GRP_ADX, x86.X86_GRP_RTM,
           x86.X86_GRP_HLE, x86.X86_GRP_SSE4A, x86.X86_GRP_3DNOW, x86.X86_GRP_VM, x86.X86_GRP_SGX,
           x86.X86_GRP_FSGSBASE, x86.X86_GRP_BMI, x86.X86_GRP_BMI2, x86.X86_GRP_F16C,
           x86.X86_GRP_CDI, x86.X86_GRP_ERI, x86.X86_GRP_PFI, x86.X86_GRP_VLX, x86.X86_GRP_DQI,
           x86.X86_GRP_BWI, x86.X86_GRP_NOVLX}
# opcodes of which the operand selects among several instructions: x87, and comparisons by number
SEVERAL = frozenset((*(bytes((0xD8 | n,)) for n in range(8)), b"\x0f\xc2"))
FARTHEST = 256  # from a base register: the data end soon, and farther something may be mapped
TAKEN = 32  # where in its slot a relative jump goes: instructions.c has an undefined instruction there
# Jumps to random addresses, of which a 32-bit program has mapped too many; in 64-bit mode next to all fault.
ANYWHERE = {64: (), 32: ("jmp", "call", "ret", "retf", "iret", "iretd", "ljmp", "lcall")}
AMD = "AuthenticAMD" in Path("/proc/cpuinfo").read_text()
TRANSFERS = {"call", "jmp", "ret", "retf", "retfq", "lcall", "ljmp", "iret", "iretd", "iretq"}
# The clock, identification, system calls, segment registers, what tells of the kernel's own tables, what no
# CPUID of ours offers, other processors' instructions, and one that nobody documents.
_LEFT_OUT = """
    sgdt sidt sldt str smsw lar lsl verr verw fstpnce
    cpuid rdtsc rdtscp rdrand rdseed rdpid xgetbv xsave xsave64 xsaveopt xsaveopt64 xsavec xsavec64 xsaves
    xsaves64 xrstor xrstor64 xrstors xrstors64 syscall sysenter sysexit sysret sysexitq sysretq lss lfs lgs
    les lds monitor mwait monitorx mwaitx getsec clzero invlpga invpcid skinit stgi clgi vmload vmsave vmrun
    rsm tzcnt lzcnt rdsspd rdsspq incsspd incsspq saveprevssp rstorssp wrssd wrssq wrussd wrussq setssbsy
    clrssbsy movbe clflushopt clwb pconfig enclu encls enclv ptwrite movdiri movdir64b gf2p8mulb
    gf2p8affineqb gf2p8affineinvqb umonitor umwait tpause cldemote serialize femms xtest xsetbv wrpkru rdpkru
    montmul xstore xcryptecb xcryptcbc xcryptctr xcryptcfb xcryptofb xsha1 xsha256
"""
LEFT_OUT = frozenset(_LEFT_OUT.split())
CARRY, PARITY, ADJUST, ZERO, SIGN, OVERFLOW = 1, 4, 0x10, 0x40, 0x80, 0x800
GENERAL = frozenset(("andn", "bextr", "blsi", "blsmsk", "blsr", "bzhi", "mulx", "pdep", "pext", "rorx",
                     "sarx", "shlx", "shrx", "tzcnt", "lzcnt", "movbe"))
YOUNGER = ("vpdp", "vgf2p8", "vsha", "vsm", "vpmadd52", "vp2intersect")  # than x86-64-v3
WITH_NUMBER = (0x70, 0x71, 0x72, 0x73, 0xC2, 0xC4, 0xC5, 0xC6)  # after 0F: opcodes that a byte follows
GROUPED = ((1, 0x71), (1, 0x72), (1, 0x73), (1, 0xAE), (2, 0xF3))  # opcodes that ModRM extends
ALL = CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW
SHIFTS, ROTATES, DOUBLE = {"shl", "shr", "sar", "sal"}, {"rol", "ror", "rcl", "rcr"}, {"shld", "shrd"}
# flags that the manual leaves undefined
UNDEFINED = {
    **dict.fromkeys(("and", "or", "xor", "test"), ADJUST),
    **dict.fromkeys(("mul", "imul"), SIGN | ZERO | ADJUST | PARITY),
    **dict.fromkeys(("div", "idiv"), ALL),
    **dict.fromkeys(("bsf", "bsr"), ALL & ~ZERO),
    **dict.fromkeys(("bt", "bts", "btr", "btc"), ALL & ~(CARRY | ZERO)),
    **dict.fromkeys(SHIFTS, ADJUST | OVERFLOW | CARRY),
    **dict.fromkeys(ROTATES, OVERFLOW),
    **dict.fromkeys(DOUBLE, ADJUST | OVERFLOW),
    **dict.fromkeys(("andn", "blsi", "blsr", "blsmsk", "bzhi"), ADJUST | PARITY),
    "bextr": ADJUST | PARITY | SIGN, **dict.fromkeys(("tzcnt", "lzcnt"), OVERFLOW | SIGN | PARITY | ADJUST),
    **dict.fromkeys(("aaa", "aas"), OVERFLOW | SIGN | ZERO | PARITY),
    **dict.fromkeys(("daa", "das"), OVERFLOW),
    **dict.fromkeys(("aam", "aad"), OVERFLOW | ADJUST | CARRY)}


class Form(NamedTuple):
    """A template: legacy prefix, whether REX.W is there, opcode, extension in ModRM or -1, operand's kind.

    With a VEX prefix `vector` is the bits of its last byte but vvvv, and the opcode begins with its table.
    """

    prefix: bytes
    wide: bool
    opcode: bytes
    extension: int
    kind: str
    vector: int = -1


class Generator:
    """Writes random instructions of one mode."""

    def __init__(self, bits: int, seed: int, only: str | None, modern: bool) -> None:
        self.bits, self.modern = bits, modern
        self.random = random.Random(seed)
        self.decoder = capstone.Cs(capstone.CS_ARCH_X86,
                                   capstone.CS_MODE_64 if bits == 64 else capstone.CS_MODE_32)
        self.decoder.detail = True
        self.forms: dict[str, list[Form]] = defaultdict(list)
        for form in (*self._candidates(), *(self._vectors() if modern else ())):
            several = form.vector < 0 and form.opcode in SEVERAL
            for _ in range(24 if several or form.vector >= 0 else 8):
                found = self.write(form, CODE)
                if found is not None and (only is None or fnmatch(found.mnemonic.split()[-1], only)):
                    self.forms[_signature(found)].append(form)
                    if not several:
                        break

    def _candidates(self) -> Iterator[Form]:
        for prefix in PREFIXES:
            for wide in (False, True) if self.bits == 64 else (False,):
                for table in MAPS:
                    for number in range(256):
                        if table == b"" and (number in b"\x0f\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3"
                                             or (self.bits == 64 and 0x40 <= number < 0x50)):
                            continue
                        opcode = table + bytes((number,))
                        yield Form(prefix, wide, opcode, -1, "none")
                        for kind in ("register", "memory", "relative"):
                            for extension in range(8):
                                yield Form(prefix, wide, opcode, extension, kind)

    @staticmethod
    def _vectors() -> Iterator[Form]:
        for table in (1, 2, 3):
            for number in range(256):
                for vector in (wide | length | prefix for wide in (0, 0x80) for length in (0, 4)
                               for prefix in range(4)):
                    for kind in ("register", "memory", "relative"):
                        for extension in range(8) if (table, number) in GROUPED else (-1,):
                            yield Form(b"", False, bytes((table, number)), extension, kind, vector)

    def _write_vector(self, form: Form, address: int) -> CsInsn | None:
        """The same of an instruction with a VEX prefix."""
        pick, wide = self.random, self.bits == 64
        table, opcode = form.opcode
        extended = pick.randrange(16 if wide else 8)
        reg = extended if form.extension < 0 else form.extension
        vvvv = pick.choice((0, pick.randrange(16 if wide else 8)))
        base, index = pick.choice((3, 4, 5, 6, 7, 12, 13, 14, 15) if wide else (3, 4, 5, 6, 7)), 0
        rm = {"register": pick.randrange(16 if wide else 8), "relative": 5, "memory": base}[form.kind]
        gathers = table == 2 and 0x90 <= opcode < 0x94
        tail = b""
        modrm = 0xC0 | (reg & 7) << 3 | rm & 7
        if form.kind == "memory":
            mod = pick.choice((1, 2) if base & 7 == 5 else (0, 1, 2))
            modrm = mod << 6 | (reg & 7) << 3 | (4 if gathers else base & 7)
            if gathers:
                index = pick.randrange(16 if wide else 8)
                tail = bytes((pick.randrange(4) << 6 | (index & 7) << 3 | base & 7,))
            elif base & 7 == 4:
                tail = b"\x24"
            tail += (b"", bytes((pick.choice((0, 8, 16, 0xF0)),)),
                     pick.choice((0, 16, 32, 3)).to_bytes(4, "little"))[mod]
        elif form.kind == "relative":
            modrm, tail = (reg & 7) << 3 | 5, bytes(4)
        numbered = table == 3 or (table == 1 and opcode in WITH_NUMBER)
        number = bytes((pick.randrange(256),)) if numbered else b""
        last = form.vector & 0x84 | form.vector & 3 | (vvvv ^ 15) << 3
        if table == 1 and not form.vector & 0x80 and rm < 8 and not index & 8 and pick.random() < 0.5:
            code = bytes((0xC5, last & 0x7F | (reg < 8) << 7))
        else:
            code = bytes((0xC4, (reg < 8) << 7 | (index < 8) << 6 | (rm < 8) << 5 | table, last))
        code += bytes((opcode,)) + (b"" if table == 1 and opcode == 0x77 else bytes((modrm,)) + tail + number)
        if form.kind == "relative" and opcode != 0x77:
            at = len(code) - len(number) - 4
            target = DATA + pick.choice((0, 16, 64, -32, 5))
            relative = target - (address + len(code) if wide else 0)
            code = code[:at] + relative.to_bytes(4, "little", signed=True) + code[at + 4:]
        found = next(self.decoder.disasm(code, address, 1), None)
        return found if found is not None and found.size == len(code) and self._allowed(found) else None

    def write(self, form: Form, address: int) -> CsInsn | None:
        """An instruction of this form to stand at `address`; None if there is none that may be tried."""
        if form.vector >= 0:
            return self._write_vector(form, address)
        pick = self.random
        code = bytearray(form.prefix)
        if self.bits == 64 and (form.wide or pick.random() < 0.3):
            code.append(0x40 | form.wide << 3 | pick.choice((0, 0, 1, 4, 5)))
        code += form.opcode
        displaced = 0
        if form.kind == "register":
            code.append(0xC0 | form.extension << 3 | pick.randrange(8))
        elif form.kind == "memory":
            mod, base = pick.choice((0, 1, 2)), pick.choice((3, 4, 5, 6, 7))
            mod = mod or int(base == 5)
            code.append(mod << 6 | form.extension << 3 | base)
            if base == 4:
                code.append(0x24)
            code += (b"", bytes((pick.choice((0, 8, 16, 0xF0)),)),
                     pick.choice((0, 16, 32, 3)).to_bytes(4, "little"))[mod]
        elif form.kind == "relative":
            code.append(5 | form.extension << 3)
            displaced = len(code)
            code += bytes(4)
        code += pick.randbytes(8) if pick.random() < 0.5 else bytes((pick.randrange(70), *bytes(7)))
        found = next(self.decoder.disasm(bytes(code[:15]), address, 1), None)
        if found is None:
            return None
        if _relative(found):
            size = found.size - len(form.opcode) - code.index(form.opcode)
            if size == 2 and self.bits == 64:
                return None  # the decoder takes 66 for a distance of 16 bits, which processors do not
            distance = address + TAKEN - (address + found.size)
            code[found.size - size:found.size] = distance.to_bytes(size, "little", signed=True)
            found = next(self.decoder.disasm(bytes(code[:15]), address, 1), None)
        elif displaced:
            target = DATA + pick.choice((0, 16, 64, -32, 5))
            relative = target - (address + found.size if self.bits == 64 else 0)
            code[displaced:displaced + 4] = relative.to_bytes(4, "little", signed=True)
            found = next(self.decoder.disasm(bytes(code[:15]), address, 1), None)
        return found if found is not None and self._allowed(found) else None

    def _allowed(self, found: CsInsn) -> bool:
        name = found.mnemonic.split()[-1]
        if self.modern:
            vector = found.bytes[0] in (0xC4, 0xC5) and name.startswith("v")
            if not (name in GENERAL or vector) or name.startswith(YOUNGER):
                return False
            if name.startswith(("vaes", "vpclmul")) and found.bytes[2 if found.bytes[0] == 0xC4 else 1] & 4:
                return False
        elif (set(found.groups) & MISSING or name in LEFT_OUT or found.opcode[0] in (0xC4, 0xC5, 0x62)
                or (name in ANYWHERE[self.bits] and not _relative(found))):
            return False
        elif name == "int" and (found.size > 2 or found.bytes[1] == 0x80):
            return False  # with a prefix it is told one byte late; a system call
        if AMD and _differs_on_amd(found, name):
            return False
        if _relative(found) and found.operands[0].imm != found.address // SLOT * SLOT + TAKEN:
            return False
        if found.addr_size * 8 != self.bits or name.startswith(("prefetch", "nop")):
            return False
        for operand in found.operands:
            if operand.type == x86.X86_OP_MEM:
                base, index = (found.reg_name(number) or "" if number else ""
                               for number in (operand.mem.base, operand.mem.index))
                if base == "rip" and abs(found.address + found.size + operand.mem.disp - DATA) > 256:
                    return False  # it would change the code
                absolute = self.bits == 32 and not base and abs(operand.mem.disp - DATA) < 256
                known = index in INDICES[self.bits] or index[1:3] == "mm" or name == "xlatb"
                if not absolute and (base not in BASES[self.bits] or not known):
                    return False
                if base != "rip" and not absolute and abs(operand.mem.disp) > FARTHEST:
                    return False
                if operand.mem.segment and name not in ("stosb", "scasb") and found.prefix[1]:
                    return False
            if operand.type == x86.X86_OP_REG and found.reg_name(operand.reg) in SYSTEM:
                return False
        return not (name in DOUBLE and found.operands[0].size == 2)


def _differs_on_amd(found: CsInsn, name: str) -> bool:
    repeated = not {0xF2, 0xF3}.isdisjoint(found.bytes[:2]) and name.startswith(("cmps", "scas", "loop"))
    if _relative(found) and 0x66 in found.prefix:
        return True
    return (repeated or name in TRANSFERS
            or name.startswith(("fxsave", "vgather", "vpgather", "ldmxcsr", "int1")))


def _relative(found: CsInsn) -> bool:
    """Whether an instruction jumps by a distance."""
    return capstone.CS_GRP_BRANCH_RELATIVE in found.groups


SYSTEM = {"es", "cs", "ss", "ds", "fs", "gs", *(f"cr{n}" for n in range(16)), *(f"dr{n}" for n in range(16)),
          *(f"bnd{n}" for n in range(4))}


def _signature(found: CsInsn) -> str:
    """A form's name: mnemonic, and kind and size of each operand."""
    kinds = {x86.X86_OP_REG: "r", x86.X86_OP_IMM: "i", x86.X86_OP_MEM: "m"}
    operands = []
    for each in found.operands:
        relative = each.type == x86.X86_OP_MEM and each.mem.base == x86.X86_REG_RIP
        operands.append(f"{kinds[each.type]}{each.size * 8}{'(rip)' if relative else ''}")
    return f"{found.mnemonic} {','.join(operands)}".strip()


class Trial(NamedTuple):
    form: str
    text: str
    code: bytes
    seed: int
    undefined: int


def trials(generator: Generator, count: int) -> Iterator[Trial]:
    """Yield as many trials, of each form about as often."""
    names = sorted(generator.forms)
    made = 0
    while made < count:
        name = names[made % len(names)]
        form = generator.random.choice(generator.forms[name])
        found = generator.write(form, CODE + SLOT * (made % SLOTS))
        if found is None or _signature(found) != name:
            continue
        base = found.mnemonic.split()[-1]
        undefined = UNDEFINED.get(base, 0)
        yield Trial(name, f"{found.mnemonic} {found.op_str}", bytes(found.bytes),
                    generator.random.getrandbits(62), undefined)
        made += 1


def build(bits: int, folder: str, modern: bool) -> str:
    program = f"{folder}/instructions{bits}"
    source = str(HERE / "instructions.c")
    command = compilers.building([f"-m{bits}", "-O1", "-no-pie", *(["-DVECTORS"] if modern else []),
                                  "-o", program, source])
    if command is None:
        sys.exit(f"instructions: there is no compiler for {bits}-bit programs")
    subprocess.run(command, check=True)
    return program


def differences(trial: Trial, native: bytes, ours: bytes) -> list[str]:
    """What the two results do not agree on."""
    if native == ours:
        return []
    left, right = RESULT.unpack(native), RESULT.unpack(ours)
    names = [*(f"r{n}" for n in range(16)), "flags", "signal", "code", "trap", "error", "address", "pc",
             "memory"]
    found = []
    for name, a, b in zip(names, left, right, strict=False):
        if name == "flags":
            a, b = a & ~trial.undefined, b & ~trial.undefined
        if a != b:
            found.append(f"{name} {a:#x}, not {b:#x}")
    for at in range(0, 256, 8):
        a, b = left[-1][at:at + 8], right[-1][at:at + 8]
        if a != b:
            found.append(f"ymm{at // 16}+{16 + at % 16} {a[::-1].hex()}, not {b[::-1].hex()}")
    for at in range(0, 416, 8):
        a, b = left[-2][at:at + 8], right[-2][at:at + 8]
        if a != b:
            where = ("fcw-fsw-ftw", "", "", "mxcsr")[at // 8] if at < 32 else (
                f"st{at // 16 - 2}" if at < 160 else f"xmm{at // 16 - 10}") + "+8" * (at % 16 // 8)
            found.append(f"{where} {a[::-1].hex()}, not {b[::-1].hex()}")
    return found


def compare(bits: int, seed: int, arguments: argparse.Namespace) -> tuple[set[str], int, int]:
    """Print what differs with one seed; returns the forms, executions, and how many differ."""
    generator = Generator(bits, seed, arguments.only, arguments.modern)
    wrong: dict[str, list[str]] = defaultdict(list)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        program = build(bits, folder, arguments.modern)
        made = list(trials(generator, arguments.executions))
        with open(f"{folder}/records", "wb") as file:
            file.writelines(RECORD.pack(each.seed, len(each.code), each.code) for each in made)
        command = [program, f"{folder}/records"]
        native = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        dtrace = [str(Path(sys.executable).with_name(PROGRAM)), "-q", "-n", "BEGIN{}",
                  *(["-x", "processor=x86-64-v3"] if arguments.modern else [])]
        ours = subprocess.run([*dtrace, "-c", " ".join(command)], stdout=subprocess.PIPE, check=True).stdout
    size = RESULT.size
    for at, each in enumerate(made):
        counts[each.form] += 1
        found = differences(each, native[at * size:(at + 1) * size], ours[at * size:(at + 1) * size])
        if found:
            wrong[each.form].append(f"{each.code.hex()} {each.text}: {'; '.join(found[:4])}")
    for form, lines in sorted(wrong.items()):
        print(f"{form}: {len(lines)} of {counts[form]} differ")
        print("".join(f"    {line}\n" for line in lines[:2]), end="")
    return set(counts), len(made), sum(map(len, wrong.values()))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bits", type=int, choices=(32, 64), default=64)
    parser.add_argument("--executions", type=int, default=100_000, help="of each seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, help="how many, from that on")
    parser.add_argument("--only", help="a mnemonic, or with * what it begins with")
    parser.add_argument("--modern", action="store_true", help="what x86-64-v3 has, and x86-64-v2 has not")
    parser.add_argument("--forms", action="store_true", help="list the forms and end")
    arguments = parser.parse_args()
    if arguments.forms:
        print("\n".join(sorted(Generator(arguments.bits, arguments.seed, arguments.only,
                                         arguments.modern).forms)))
        return 0
    forms: set[str] = set()
    executions = differ = 0
    for seed in range(arguments.seed, arguments.seed + arguments.seeds):
        tried, made, wrong = compare(arguments.bits, seed, arguments)
        forms |= tried
        executions, differ = executions + made, differ + wrong
        print(f"seeds {arguments.seed}-{seed}: {len(forms)} forms of {arguments.bits}-bit code, "
              f"{executions} executions, {differ} differ", flush=True)
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
