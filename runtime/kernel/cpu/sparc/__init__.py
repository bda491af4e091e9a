"""SPARC: 32-bit programs of V8 and 64-bit programs of V9.

Read in this order:

registers   registers and register windows, as the engine keeps them
engine      the emulated processor: translations, traps, windows
processor   what the kernel asks of it (see runtime.kernel.cpu.processor)
nofault     loads that never fault
contexts    the two traps that save and load all registers of a 64-bit program
sigframe    signal frames
unwind      whether a function has a register window of its own yet
numbers     errors, signals, flags and system calls that have other numbers than on x86
"""
