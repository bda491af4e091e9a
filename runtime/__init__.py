"""Tracing at run time: an emulated machine with DTrace in its kernel, and the commands that observe it.

In comes a D program as DOF bytes (from dc, or any other compiler); out come text, JSON or Python objects.

    command/     dtrace(1): arguments in, text out
    api/         `import dtrace`: a run as Python objects
    languageserver/  dc --lsp: D for editors
    consumer/    what libdtrace is at run time, as a Python API: buffers' bytes in, printed output out
    border.py    the requests and records between consumer and kernel, as bytes; nothing else crosses
    ioctl/       the same requests as ioctls: taken from programs of the machine, made of an operating system
    instances/   many machines behind one border
    framework/   what dtrace.c is to a kernel: DOF bytes in, probes fire, buffers' bytes out
    providers/   who makes probes: syscall, proc, fbt, pid, USDT and the others
    programs/    what is known of traced programs: symbols, types, names
    kernel/      the emulated machine; it knows nothing of DTrace but the hooks that it offers

`machine.py` puts kernel, framework and providers together, `driver.py` is the dtrace process in the machine,
`rights.py` says who that is, `symbols.py` names the addresses in it, and `unoffered.py` tells which
instruction the processor lacks.  Arrows go from the top of this list to the bottom, but for the programs,
which providers and the consumer's symbols read.  Read border.py first, then machine.py, then the room that
you need.
"""
