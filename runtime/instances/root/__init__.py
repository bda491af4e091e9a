"""The top of the tree: all instances as one device and one machine for a consumer.

In come the requests of a consumer (runtime.border); out come its answers, as from one kernel.

    cluster.py       the device and the machine; start here
    statuses.py      the counts of the instances' kernels
    remotetypes.py   symbols and types, asked for when they are needed
    tree.py          the list of instances
"""
