"""Running DIF, in two ways that must agree.

machine.py is the definition: a loop over decoded instructions.  emitter.py writes an object as Python
statements instead, by what dataflow.py finds out about it.  Both assign variables and build tuples through
variables.py.  helpers.py runs the DIF that programs bring along to name their own stack frames.  In comes
`Code` with a `Firing`; out comes the 64-bit value of its `ret`, or DifFault.
"""
