"""The D compiler.  A program passes through these files in this order:

preprocessor    -C only: the C preprocessor; macros.py has what it defines
lexer           text → tokens (characters.py); what is a type, and what a probe description
parser          tokens → syntax tree (tables.py, made from grammar.lark by maketables.py; syntax.py)
declare         declarations take effect: declarations.py (types.py, layout.py, constants.py,
                intrinsics.py, scopes.py), identifiers.py (names), translation.py (translators),
                pragmas.py, options.py, library.py and libraries.py (D libraries), headers.py and
                symbols.py (C headers), scan.py and index.py (their declarations by name)
checker         names and types: operators, calls, folding; builtins.py and rules.py are its tables
codegen         typed tree (typed.py) → DIF with virtual registers (ir.py); codestore.py, conditions.py
optimizer       DIF → less DIF; registers.py gives it real registers, assembly.py the object's tables
compiler        clauses → dof.model.Program: probes, actions, formats, aggregates, sugar (if/else),
                stability, helpers (ustack helpers), linking

providers.py reads provider declarations for -h and -G, and stable.py says what
arguments the stable providers' probes have.
diagnostics.py holds what can go wrong (hints.py: what may have been meant;
recovery.py: what else is wrong), catalog.py what is asked of the traced system,
and command.py is the command dc.
"""
