"""Syntax tree → typed tree: names are resolved, types are known, and what is wrong is reported.

In: nodes of dc.source.tree.  Out: nodes of typed.py, and declarations that have taken effect.

typed.py           the typed tree: a class for each kind of value
rules.py           D's type rules: what may be assigned, and the instruction of an operator
conversions.py     how an integer becomes one of another type, in constants and in code
checker.py         expressions → values; translators
externals.py       declarations, inlines, translators, providers and pragmas take effect
libraries.py       D libraries: their declarations take effect when a program asks for them
ifelse.py          a clause with if and else → several clauses
formats.py         printf formats against the types of their arguments
helperclauses.py   what clauses for dtrace:helper:ustack may hold
recovery.py        --all-errors: which errors only follow from others
treelines.py       trees as text, for -x tree
"""
