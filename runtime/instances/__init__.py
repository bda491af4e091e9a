"""Many instances traced as one: machines, machines in machines, and machines far away.

In come a cluster file and what a consumer asks of a device (runtime.border).  Out come frames down to the
instances, and what they send up, checked, mapped and merged, so that a consumer sees one device.

Read in this order:

    clusterfile.py   which instances there are, and what is allowed to them
    paths.py         the names of instances, and the patterns that mean them
    frames.py        the messages: instructions go down, data come up
    identities.py    who a provider is at each hop
    maps.py          numbers of a child ↔ numbers of ours
    merging.py       aggregations of many made one
    layouts.py       what an instance may send, worked out from our own program
    clocks.py        how far its clock is from the host's
    ledger.py        what was produced, delivered and lost
    doings.py        what is done at a machine beside tracing: processes, symbols, files
    vmprocess.py     the process that runs a machine in a machine
    endpoint.py      one machine behind frames
    links.py         the parent's end of a connection
    service.py       the child's end of it
    network.py       connections to other hosts
    dinstance.py     dinstance(1): serves a machine to other hosts
    recording.py     frames in a file
    relay.py         a hop: several children made one; start here to see it all work
    starting.py      how children come into being
    daskengine.py    relays on the workers of dask.distributed
    workerprocess.py the process of such a relay
    remotetypes.py   symbols and types, asked for when they are needed
    root.py          the top: a device and a machine for the consumer
    tree.py          the list of instances
"""
