"""C's types: declarations → types, and the scopes in which types are found by name.

In: declarations, as syntax trees (dc.source.tree).  Out: objects of types.py, in a `scopes.Scope`.

types.py               the types: sizes, alignment, spelling, and when two are compatible
basictypes.py          those that D has by itself, as tables
scopes.py              where types, enumerators and variables are found by name, one scope behind the other
declarations.py        declarations → types; layout.py places members, constants.py evaluates bounds
headers.py             a C header as a scope that declares what it is asked for
declarationindex.py    which declaration of a text introduces a name; declarationtexts.py cuts the text
similartypes.py        the type that was perhaps meant, for messages
"""
