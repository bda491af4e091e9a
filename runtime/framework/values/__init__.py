"""The values that D takes from the machine: built-in variables and subroutines.

In come a `Firing` and arguments, out goes an unsigned 64-bit integer; a string is its address.  builtins.py
has a row for each variable; subroutines.py has a function for each subroutine, strings.py those on strings.
jsonpath.py and addresstext.py are the work behind json() and inet_ntop().
"""
