"""Where a tracing state keeps what its clauses record, until the consumer takes a snapshot.

`principal.py` has the per-CPU buffers of records, one class for each policy (switch, fill, ring);
`aggregation.py` the aggregating functions and their buffers; `speculation.py` the buffers whose records
become real with commit().  In come room to reserve and bytes; out go snapshots as bytes, and counts of
drops.
"""
