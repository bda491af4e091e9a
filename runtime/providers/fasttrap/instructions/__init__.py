"""Instruction sets as fasttrap needs them: one file each, x86.py, sparc.py and arm64.py.

In comes the text of a program at an address; out comes a `Plan` (treatment.py): how its instruction is
executed although a trap stands in its place.  space.py holds the traps of one address space and says what
an instruction set must offer; scratch.py has the slots in which copies of instructions are executed;
operands.py and arm64operands.py read the arguments of stapsdt notes, which are written in assembly language;
x86hits.py has what fires at most hits.

To add an instruction set: a file with its `InstructionSet`, `Convention` and kind of `TracedSpace`, and a
line in runtime.providers.fasttrap.tracepoints.
"""
