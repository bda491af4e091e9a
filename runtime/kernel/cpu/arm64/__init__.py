"""The AArch64 processor (Arm Architecture Reference Manual, ARMv8-A).

Read in this order:

registers       the general registers and the flags, in the engine or as they were saved
withheld        instructions that the engine is not to execute
engine          Unicorn's engine for it: page faults, system calls, exceptions
direct          the same engine on Unicorn's own structures
identification  what is offered: HWCAP bits, identification registers, the counter
accesses        the address and the kind of access of an instruction that has faulted
faults          what an exception is to a program: signal, code, ESR
sigframe        signal frames
ptraceregs      registers as debuggers and core files have them
vdso            the object that the kernel maps into every program: time, and the way back from a handler
unwind          callers, by call frame information or by frame records
processor       all of it as the kernel asks for it
"""
