"""The system calls of SPARC programs that differ from those of x86.

calls         the table: numbers of SPARC, and `table(bits)`, which puts it together
filecalls     files and memory: flags and struct stat of SPARC
processcalls  processes, signals and times
"""
