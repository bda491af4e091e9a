"""The D compiler: the text of a D program → a dof.model.Program, which dof/writer.py makes DOF of.

A program passes through these rooms, in this order; the opening page of each says what is in it:

source       text → tokens → syntax tree
types        C declarations → types, and the scopes in which they are found
names        what else a name may mean: built-in names, variables, inlines, translators, aggregations,
             probes and their providers, kernel symbols, libraries
checking     syntax tree → typed tree: every name resolved, every type known, every error reported
generation   typed tree → DIF: code, optimized, in registers, as objects; actions and aggregations

No room imports one that comes after it.  Below them all stand five files that need none of them:
diagnostics.py (what can be wrong, and how an error is shown), options.py (every option of DTrace),
stability.py and versions.py (what attributes and versions of D are called), and characters.py (where
the words of a text end).

compiler.py puts the phases together: start there.  command.py is the command dc (arguments.py its
command line, script.py the programs that a command line names, describe.py and page.py what `--emit` shows).
The D libraries and the kernel's header are dc/lib/*.d and dc/lib/kernel.h.
"""
