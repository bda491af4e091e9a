"""x86: 64-bit and 32-bit programs, which share one engine.

Read in this order:

engine         registers, page tables and exceptions of the emulated processor, on Unicorn's public interface
operands       which memory an instruction uses: what a page fault was about
direct         the same engine on Unicorn's own structures, which is quicker: it is used wherever it works
quickcalls     system calls that machine code answers while the engine runs
directtraps    machine code leads traps that are hit often to what a tracer does there
counting       executed code counts itself, where a function would be called for each block
chaining       blocks of translated code lead straight to each other, between pages, too
protecting     pages with translated code are protected without searching the whole TLB
patches        machine code of ours in the engine's library; with it
hostfloat      the host's processor computes floating-point numbers, on a short way
plainfloat     where nothing of MXCSR can change, and
decoding       instructions are decoded as hardware does
vectors        AVX and what belongs to it, if it is offered, and
identification what CPUID says of that
emulated       the few instructions that the kernel executes
faults         what an exception is to the program
processor      what the kernel asks of it (see runtime.kernel.cpu.processor)
hosted         the same for a process whose program is outside the machine: it needs no engine
segments       thread-local storage of 32-bit programs
xstate         floating-point and vector registers in memory
sigframe       signal frames, on the way into a handler and back
illumosregs    registers by the numbers that D's uregs[] takes
ptraceregs     registers as debuggers and core files have them
unwind         a program's callers
plannedframes  plans by which callers are found quickly
codewalk       callers of code that has no call frame information
"""
