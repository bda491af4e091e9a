"""The framework: what dtrace.c is to a kernel.

In come requests as bytes (runtime.border) and firings of probes; out go records as bytes.  The rooms, each of
which asks only those above it:

    base/        faults, storage, and what is asked of a kernel (`Host`)
    probes/      providers, probes, their registry; matching; privileges
    buffers/     principal buffers, aggregations, speculations
    firing/      what DIF can reach: memory, variables, scratch space, arguments
    values/      the built-in variables and the subroutines
    execution/   DIF run by a loop (machine.py), or written as Python (emitter.py)
    tracing/     clauses, options, tracing states: from DOF bytes to clauses on probes
    engines/     all clauses of a probe in one function, by either way of running DIF

`framework.py` puts them together, `device.py` and `requests.py` serve the requests of a consumer.

How a probe hit travels
    A provider calls `probe.fire(arg0, ..., arg4)`.  (If `fire` is None, no clause is on the probe, and the
    provider does nothing.)  The first hit comes to `Tracing`: it has the engine compile all clauses on the
    probe, of all states that trace, and puts the compiled function in its own place.  That function does for
    each clause: ready the CPU's `Firing`; ask whether a tracer with few privileges may see it; evaluate the
    predicate; reserve room in the CPU's principal buffer; run the actions; write the record behind its header
    (EPID and time).  A fault ends the clause: `State.fault` counts it, and fires ERROR for that state alone.

What happens when a principal buffer is full
    `Buffer.reserve` returns -1, and the clause ends there: its record is lost, and no action runs.  What else
    happens is the policy's (option bufpolicy).  switch: the loss is counted, and the consumer, which finds
    the count in the next snapshot, prints so many drops.  fill: the buffer takes nothing more until tracing
    ends, END clauses excepted, for which room is kept; STATUS tells how many are full, and the consumer stops
    when it sees one.  ring: the newest record pushes out the oldest ones, and nothing counts as lost.

To add a subroutine: a row in dif.isa, and a function of that name in values/subroutines.py or strings.py.
To add a built-in variable: a row in dif.isa, and one in values/builtins.py.  Tests tell what is missing.
"""
