"""The two engines: one function for all clauses on a probe.

In come a probe and its ECBs; out comes what `probe.fire` becomes.  interpret.py is the definition: it runs
a clause step by step.  translate.py fuses the same steps into one generated Python function.  Both take
from actions.py what each action does or records.  (Option engine; a test feeds both and compares all they
leave.)
"""
