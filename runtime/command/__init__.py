"""dtrace(1): a thin client of runtime.consumer, dof.usdt and dc.

In comes a command line.  Out come the output of tracing, listings, headers and objects, and an exit status:
0, the argument of exit(), 1 for any error, 2 for a command line that makes no sense.

    entries.py       where the installed commands begin, those of dc and dof among them
    codecache.py     the byte code of all modules that commands load, in one file
    command.py       main(): which mode; -h and -G, which need no kernel
    arguments.py     the command line, taken apart; its switches are a table, from which --help comes
    tracing.py       all that needs a kernel: tracing, -l, -e, -A
    recorded.py      -x record and --replay: what stands between the machine and the host (runtime.recordings)
    knownprobes.py   the machine's probes, for dc
    machinelibraries.py  what an installation without the machine lacks
    dinstance.py     main() of dinstance(1): runtime.instances serves machines to other hosts
    dtest.py         main() of dtest(1): runtime.dtest runs directories of D tests
    clickcommands.py how these two end, whose command lines click takes apart
    staticprobes.py  -l FILE...: the probes of ELF files

What all commands share (usage, failing, files) is dof.commandline's; reading programs and explaining their
errors is dc.script's; options are rows of dof.options.  Each mode imports only what it needs.
"""
