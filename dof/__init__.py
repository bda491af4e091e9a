"""DOF, the format in which programs and providers reach a kernel.  It imports nothing but `dif`.

In: DOF bytes, ELF files, or a Program.  Out: the other of these; and text that people read.

format.py         every structure and section type, declared once
model.py          what DOF says, as data: programs, providers, and their parts
reader.py         bytes → Program, by container.py (a checked section table), providers.py, translators.py
writer.py         Program → bytes
actionrules.py    what a kernel refuses of a clause's actions once a probe matches
text.py           Program ⇄ text; inspection.py shows sections as they are, comparison.py how programs differ
elf.py, files.py  ELF objects, and where DOF is found in them and in other files; holders/ knows the others
options.py, printf.py  the tables of options and of printf's conversions: a compiler and a consumer read them
globs.py          whether a field of a probe description matches a name
commandline.py    what all commands share; command.py: difas and difdis
usdt/             `dtrace -h` and `dtrace -G`
"""
