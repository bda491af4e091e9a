"""User registers under the numbers that D's uregs[] takes (illumos' regs.d and <sys/regset.h>)."""

from __future__ import annotations

from runtime.kernel.cpu.x86 import engine as machine

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

GS, FS, ES, DS, CS, SS = "gs", "fs", "es", "ds", "cs", "ss"
FLAGS, FS_BASE, GS_BASE, ZERO = "flags", "fsbase", "gsbase", "zero"

# the i386 numbers, 0-18; then amd64's own, from 19 on
I386 = (GS, FS, ES, DS, machine.RDI, machine.RSI, machine.RBP, machine.RSP, machine.RBX, machine.RDX,
        machine.RCX, machine.RAX, ZERO, ZERO, machine.RIP, CS, FLAGS, machine.RSP, SS)
AMD64 = (machine.R15, machine.R14, machine.R13, machine.R12, machine.R11, machine.R10, machine.R9,
         machine.R8, machine.RDI, machine.RSI, machine.RBP, machine.RBX, machine.RDX, machine.RCX,
         machine.RAX, ZERO, ZERO, machine.RIP, CS, FLAGS, machine.RSP, SS, FS, GS, ES, DS, FS_BASE, GS_BASE)
UREGS: tuple[int | str, ...] = I386 + AMD64
SPECIAL = {GS: machine.REG_GS, FS: machine.REG_FS, ES: machine.REG_ES, DS: machine.REG_DS, CS: machine.REG_CS,
           SS: machine.REG_SS, FLAGS: machine.REG_RFLAGS, FS_BASE: machine.REG_FS_BASE,
           GS_BASE: machine.REG_GS_BASE}


def read_register(engine: machine.Engine, thread: UserThread, index: int) -> int:
    """Return a register of a thread, loaded or not.  Raises IndexError for a number without a register."""
    which = UREGS[index] if 0 <= index < len(UREGS) else None
    if which is None:
        raise IndexError(index)
    if which == machine.RIP:
        return thread.pc
    if isinstance(which, int):
        return int(thread.regs[which])
    if which == ZERO or thread.context is None:
        return 0
    thread.load()
    return engine.read_register(SPECIAL[which], 8 if which in (FLAGS, FS_BASE, GS_BASE) else 2)
