"""What every other room of the framework stands on.

`host.py` says what is asked of a kernel: time, memory, the current thread, stacks, timers.  `faults.py` is
the exception that ends a clause early.  `storage.py` is memory for buffers, variables and scratch space.
"""
