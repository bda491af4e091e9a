"""Aggregations: merged from the snapshots of all CPUs, sorted, and measured for being shown.

In come snapshots: records of keys and values, as the kernel aggregated them on each CPU.  Out come entries in
the order that options or the caller ask for, rows of printa(), and columns of numbers.

    aggregate.py     Aggregations: snapshots in, sorted walks and joined rows out; start here
    entries.py       the table of one variable, its rows, and the order of keys and values
    results.py       the value of an entry: a number or a distribution
    quantize.py      quantize(), lquantize(), llquantize(): their buckets, and how they are drawn
    byinstance.py    the key that keeps rows of several instances apart

Tables of many rows stay arrays, from the snapshot to the last line that is printed, with the same result:

    bulk.py          merging
    ranking.py       sorting, joining, clearing, and columns of numbers
    lines.py         rows as text
    jit.py           LLVM modules made into functions, and the cache of their machine code
    mergekernels.py  the text of the kernels that merge
    valuekernels.py  the text of the kernels that weigh and normalize values
    linekernel.py    the text of the kernel that writes lines
"""
