"""The top of the tree: all instances as one device and one machine for a consumer.

In come the requests of a consumer (runtime.border); out come its answers, as from one kernel.

    cluster.py       the machine; start here
    root.py          frames go down, and what comes up is told, counted or handed on
    instances.py     which instances there are, and what a pattern means
    membership.py    who joins, comes back and is lost; what users are told of it
    statuses.py      the counts of their kernels
    refusals.py      what is said where an instance refuses something
    timekeeper.py    time passes at all of them
    device.py        the device: requests, each with the part that answers it
    probes.py        who is asked for probes, and whose a probe is
    enabling.py      programs are dealt out; tracing begins and ends
    snapshots.py     what was recorded, with times by the host's clock
    groups.py        instances whose kernels have the same types
    compiling.py     a program is compiled for each group that it means
    system.py        what compilers and renderers ask of all instances
    remotetypes.py   symbols and types, asked for when they are needed
    processes.py     processes of instances
    tree.py          the list of instances
"""
