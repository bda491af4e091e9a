"""What libdtrace is at run time: a tracing session, as a Python API.

In come a machine with a device (runtime.border), D programs or DOF, and the bytes of the device's buffers.
Out come events, reported to a handler in their order: firings with their records, faults, drops; and
aggregations, merged.  Nothing that comes from the device is trusted before it fits its description.

The session is this room:

    consumer.py      start here: open, compile, enable, go, work, stop, close
    system.py        what a session asks of the machine beside the device: time, CPUs, symbols
    catalog.py       what the compiler asks of the device: probes, arguments, types
    reader.py        from the buffers of each CPU to firings, in the order in which they are reported
    decoding.py      from record descriptions to the steps that decode a firing
    options.py       when options may be set, and what the kernel makes of them
    errorprobe.py    the enabling of dtrace:::ERROR, from which a session learns of faults
    sources.py       from a fault to the place in the program's source: start here for what is said of one
    sourcetext.py    the text of an expression, and its place
    explanations.py  what was wrong with its value, in words
    anonymous.py     enablings in a file, for a kernel that boots later

Below it are three rooms, each of which knows only those before it: events/ (what is reported),
aggregations/ (merging, sorting, distributions), output/ (everything that is shown).
"""
