"""DTrace in Python: run a D program in an emulated machine, and have what it saw as Python objects.

    import dtrace

    seen = dtrace.run("syscall:::entry { @[probefunc] = count(); }", command="ls /")
    for (name,), count in seen.aggregation().items():
        print(name, count)

`run` is all that most need.  `Machine` and `Consumer` are a machine and a session of one's own, in the shape
of libdtrace; `compile` is the compiler alone.  The rooms below keep their names: dc, dif, dof, runtime.

>>> run("BEGIN { trace(6 * 7); exit(0); }").firings[0].values
(42,)
"""

from dc.compiler import CompileResult, compile
from dc.diagnostics import CompileError
from dc.options import OptionError
from runtime.api.results import Aggregation, Distribution, Firing, Traced
from runtime.api.run import FlameGraph, Run, run
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.errors import TraceError
from runtime.machine import Machine, Process

__all__ = ["Aggregation", "CompileError", "CompileResult", "Consumer", "Distribution", "Firing", "FlameGraph",
           "Machine", "OptionError", "Process", "Run", "TraceError", "Traced", "compile", "run"]
