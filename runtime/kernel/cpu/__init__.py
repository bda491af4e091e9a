"""Processors: what the kernel asks of one, and what all of them share.

In comes a thread with its registers (`processor.UserThread`); its program runs until an event, and out comes
what that was: a system call with its arguments, an exception as a signal, or nothing but the end of a time
slice.  Signal frames, registers under several numberings, and stacks of callers are here too.

Read in this order:

processor    the protocols: thread, engine, processor
accelerators what goes beyond the engine's public interface, and how each is turned off
emulator     an engine of Unicorn's, driven through its C interface, and the counting of executed code
callframes   callers by DWARF call frame information (.eh_frame)
frametables  the same where no header is its index: static programs, .debug_frame
sectionheaders  the sections of a program's file, for unwinders
textframes   call frame information of all code of a process
signalinfo   siginfo_t
debugging    what debuggers and core files ask of a processor
translation  what engines without page tables of their own have in common: SPARC and AArch64
x86/ sparc/ arm64/  the processors
"""
