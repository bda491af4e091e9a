"""The D compiler.  A program passes through these files in this order:

preprocessor    -C only: the C preprocessor
lexer           text → tokens; what is a type, and what a probe description
parser          tokens → syntax tree (tables.py, made from grammar.lark by maketables.py; syntax.py)
declare         declarations take effect: declarations.py (types.py, scopes.py), identifiers.py (names),
                pragmas.py, options.py, library.py and libraries.py (D libraries), headers.py (C
                headers), scan.py and index.py (their declarations by name)
checker         names and types: operators, calls, translation; builtins.py and rules.py are its tables
codegen         typed tree (typed.py) → DIF with virtual registers (ir.py), conditions.py
optimizer       DIF → less DIF; registers.py gives it real registers, assembly.py the object's tables
compiler        clauses → dof.model.Program: actions, aggregates, sugar (if/else)

diagnostics.py holds what can go wrong, catalog.py what is asked of the traced
system, and command.py is the command dc.
"""
