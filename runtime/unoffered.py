"""Instructions that the machine's processor does not offer: what ends a program that has met one."""

from __future__ import annotations

from runtime.kernel.base.budgets import console
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import SIG_DFL, SIGILL
from runtime.kernel.cpu.events import FLTILL

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.thread import Thread
    from runtime.symbols import MachineSymbols

MODERN = frozenset(("AVX", "AVX2", "BMI1", "BMI2", "FMA", "F16C", "MOVBE", "XSAVE"))  # what an option offers
LONGEST = 15  # bytes of an instruction
# Features by capstone's name of a group of instructions, as <cpuid.h> and processors' manuals call them; and
# by the beginning of a mnemonic, for instructions that are in no group.
GROUPS = {"avx": "AVX", "avx2": "AVX2", "avx512": "AVX-512", "bmi": "BMI1", "bmi2": "BMI2", "fma": "FMA",
          "fma4": "FMA4", "xop": "XOP", "sha": "SHA", "adx": "ADX", "rtm": "RTM", "fsgsbase": "FSGSBASE",
          "sse4a": "SSE4a", "f16c": "F16C", "3dnow": "3DNow!", "tbm": "TBM"}
MNEMONICS = (("vf", "FMA"), ("v", "AVX"), ("movbe", "MOVBE"), ("rdrand", "RDRAND"), ("rdseed", "RDSEED"),
             ("xsave", "XSAVE"), ("xrstor", "XSAVE"), ("xgetbv", "XSAVE"), ("clflushopt", "CLFLUSHOPT"),
             ("clwb", "CLWB"), ("rdpid", "RDPID"))
# beginnings of mnemonics that are also in an older group; and those that are of a newer one with 32 bytes
YOUNGER = (("vgf2p8", "GFNI"), ("vpdp", "AVX-VNNI"))
WIDE = {"vaes": "VAES", "vpclmul": "VPCLMULQDQ"}
EVEX = 0x62  # the prefix of AVX-512

# of AArch64: mnemonics, and encodings by mask and value (Arm Architecture Reference Manual, C4.1)
ARM64_MNEMONICS = {**dict.fromkeys(("irg", "gmi", "addg", "subg", "subp", "subps", "stg", "stzg", "st2g",
                                    "stz2g", "stgp", "ldg", "ldgm", "stgm", "stzgm"), "MTE"),
                   **dict.fromkeys(("smstart", "smstop"), "SME"),
                   **dict.fromkeys(("bfdot", "bfmmla", "bfmlalb", "bfmlalt", "bfcvt", "bfcvtn", "bfcvtn2"),
                                   "BF16"),
                   **dict.fromkeys(("smmla", "ummla", "usmmla", "usdot", "sudot"), "I8MM")}
ARM64 = (
    (0x1E000000, 0x04000000, "SVE"), (0x9E000000, 0x80000000, "SME"), (0xFFFFFFE0, 0xD53BD0A0, "SME"),
    (0xFFFFFFC0, 0xD53B2400, "RNG"), (0xFFFFFFC0, 0xD50B7440, "MTE"), (0xFFFFFFE0, 0xD50B7480, "MTE"),
    (0xFFFFFFC0, 0xD5031000, "WFxT"), (0x3B200C00, 0x19000400, "MOPS"), (0xBFE0FC00, 0x19201000, "LSE128"),
    (0xFFFFFC00, 0xF83FD000, "LS64"), (0x7FFFFC00, 0x5AC02000, "CSSC"), (0x7FFFF800, 0x5AC01800, "CSSC"),
    (0x7FE0F000, 0x1AC06000, "CSSC"), (0x7FF00000, 0x11C00000, "CSSC"))


def _text(thread: Thread, address: int) -> bytes:
    """Return the longest instruction that may begin there; less at the end of what is mapped."""
    try:
        return thread.read_text(address, LONGEST)
    except MemoryFault:
        return thread.read_text(address, min(-address & 4095 or LONGEST, LONGEST))


def watch(kernel: Kernel, symbols: MachineSymbols) -> None:
    """Say why, whenever an instruction ends a program that another processor would execute."""
    def faulted(thread: Thread, number: int, address: int) -> None:
        if number == FLTILL and thread.process.signals.action(SIGILL).handler == SIG_DFL:
            try:
                found = needed(_text(thread, address), thread.process.processor.name)
            except MemoryFault:
                return
            if found is not None:
                symbol = symbols.user(thread.pid, address)
                place = (f"{address:#x}" if symbol is None
                         else f"{symbol.object}`{symbol.name}+{address - symbol.value:#x}")
                from runtime.kernel.cpu.x86.identification import lacking  # few programs come here

                modern = found[1] in MODERN and not kernel.vectors and not lacking()
                has = "has with -x processor=x86-64-v3" if modern else "does not have"
                console(f"pid {thread.pid}: {found[0]} at {place} needs {found[1]}, which the machine {has}",
                        "dtrace")
    kernel.hooks.attach("fault", faulted)


def needed(code: bytes, processor: bytes) -> tuple[str, str] | None:
    """The mnemonic that `code` of a processor begins with, and what a processor needs for it.

    None for what is no instruction of any processor, or has no such name.
    """
    if processor == b"aarch64":
        return _needed_arm64(code[:4])
    import capstone

    wide = capstone.CS_MODE_64 if processor == b"x86_64" else capstone.CS_MODE_32
    decoder = capstone.Cs(capstone.CS_ARCH_X86, wide)
    decoder.detail = True
    found = next(decoder.disasm(code[:LONGEST], 0, 1), None)
    if found is None:
        return None
    named = [feature for start, feature in YOUNGER if found.mnemonic.startswith(start)]
    named += [WIDE[name] for name in WIDE if found.mnemonic.startswith(name) and "ymm" in found.op_str]
    named += ["AVX-512"] if EVEX in found.opcode[:1] and found.mnemonic.startswith("v") else []
    named += [GROUPS[name] for name in map(decoder.group_name, found.groups) if name in GROUPS]
    named += [feature for start, feature in MNEMONICS if found.mnemonic.startswith(start)]
    return (found.mnemonic, named[0]) if named else None


def _needed_arm64(code: bytes) -> tuple[str, str] | None:
    import capstone

    decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    found = next(decoder.disasm(code, 0, 1), None)
    word, name = int.from_bytes(code, "little"), found.mnemonic if found is not None else ""
    feature = ARM64_MNEMONICS.get(name) or next(
        (feature for mask, value, feature in ARM64 if word & mask == value), None)
    return (name or f"{word:#010x}", feature) if feature else None
