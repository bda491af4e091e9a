"""The text of a D program → its syntax tree.

In: text.  Out: the nodes of tree.py, one external declaration after another.

Read tree.py first: it is what the other phases see.  Then, in the order in which text passes through:

preprocessor.py   -C only: macros replaced, files included (macros.py: those
                  that are defined from the start)
lexer.py          text → tokens; what words mean depends on the names that are declared so far
parser.py         tokens → tree, by the tables of tables.py, which maketables.py makes of grammar.lark
specifiers.py     a probe specifier's text → dof.model.ProbeDesc

The parser hands out a declaration before it reads on, because the declaration's names change what the
next words are.  The lexer asks for names through a protocol, `lexer.Names`, and so needs no later room.
"""
