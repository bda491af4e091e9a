"""What names mean, besides C's types.

In: names, and declarations of providers and libraries.  Out: what they stand for.

identifiers.py      variables, functions, inlines, translators, aggregations: `Names` finds them all
values.py           what every value of the typed tree has, as inlines and translators keep values
builtins.py         the names that need no declaration: a row each
catalog.py          what the compiler asks of the traced system: probes, args[], kernel symbols
staticcatalog.py    the catalog where no kernel runs: stableproviders.py has the stable providers'
                    arguments, kernelheader.py the kernel's types and where its variables lie
sessioncatalog.py   what programs declare, in front of the system's: providers.py reads declarations of
                    providers (for -h and -G, too), pragmas.py does what control lines say
libraryfiles.py     the D libraries as files, and which of them depend on which
linkmode.py         whether an address of a symbol is final, or to be relocated
similarnames.py     the name that was perhaps meant, for messages
"""
