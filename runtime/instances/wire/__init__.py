"""The messages between an instance and what it hangs on, and the connections that carry them.

In come frames, out come bytes, and back.  Each end parses only what may come to it.

    frames.py        the messages: instructions go down, data come up
    verbs.py         what is asked beside tracing: processes, symbols, files
    addresses.py     kernel addresses that mean something in one instance alone
    answering.py     what answers frames: a method for each kind
    links.py         the parent's end of a connection
    service.py       the child's end of it
    network.py       connections to other hosts: TCP and TLS
    recording.py     frames in a file
"""
