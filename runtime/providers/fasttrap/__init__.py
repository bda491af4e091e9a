"""fasttrap: probes in user programs, by traps in their text (the pid provider, USDT, stapsdt notes).

In come probe descriptions and helper DOF; out go traps in processes, and firings when threads reach them.
module.py is what the machine sees; it loads fasttrap.py, which puts the parts together and watches
processes. What the parts work on is `TracedPrograms` (traced.py): load objects (loadobjects.py) and
tracepoints.

    pid.py           probes on functions (functionbodies.py finds their instructions; indirect.py, ifuncs)
    usdt.py          probes that programs bring along; discovery.py finds them before they register
    instructions/    each instruction set: how a trapped instruction is executed all the same
    wanted.py        what tracers have asked for, of what is still to come
    startup.py       brings a new process to where -x evaltime says
    listing.py       the table of tracepoints; mistakes.py explains a wrong description
"""
