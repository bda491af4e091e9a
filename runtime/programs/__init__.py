"""What is known of traced programs, from their files alone: no process and no probe is needed.

In come an ELF file's bytes and those of its debug files; out come functions, symbols, D types and names for
people.  objectfile.py is a file's segments, text and functions; symboltable.py names addresses;
debugfiles.py finds the separate debug file.  Types come from dwarf.py (with splitdwarf.py) or ctf.py, and
usertypes.py gives them to the compiler, with abi.py for where arguments are passed.  demangle.py and
rustnames.py make C++ and Rust names readable.  limits.py says how much of a file is read at most.
"""
