"""Typed tree → DIF.

In: values of dc.checking.typed.  Out: dif.difo.Difo objects and the dof.model.Action that refer to them.

actions.py        a statement's tracing function → its actions; what may follow what in a clause
aggregations.py   @name[keys] = function(...) → its actions
generator.py      a value → instructions over as many registers as needed (ir.py)
optimizer.py      instructions → fewer instructions
registers.py      registers of ir.py → those of the machine
assembly.py       instructions → a Difo with its tables; equal routines become one object

Actions and aggregations check their arguments where they use them, and generate code for each:
so they stand here, and not with the checker.
"""
