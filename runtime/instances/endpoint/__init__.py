"""One machine behind frames.

In come instructions; a machine's device and its processes are asked; out comes what they say.

    endpoint.py      the frames of tracing; start here
    doings.py        what is done at a machine beside tracing: processes, symbols, files
    waiting.py       how many records wait to be fetched
    vmprocess.py     the process that runs a machine in a machine
"""
