"""What DIF can reach while a probe fires.

Read firing.py first: its three classes are three scopes, of all tracers (`Platform`), of one
(`Environment`), and of the clause under way on one CPU (`Firing`).  Under them lie memory.py (the
framework's own arenas over the kernel's memory), uservariables.py (globals and clause-locals) and
dynamicvariables.py (thread-locals and associative arrays).  code.py is a DIF object made ready.  For
tracers with few privileges access.py says which kernel memory they may load, and visibility.py which
firings they see.
"""
