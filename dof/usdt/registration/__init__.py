"""What a program does with its own DOF when it starts and ends, compiled for every system and machine.

In: registration.c and linux.h.  Out: one relocatable object SYSTEM-MACHINE.bin each, of which `dtrace -G`
puts a copy into the program.  build.py compiles them (`make registration`); `compilers` tells what made them.
"""
