"""Many instances traced as one: machines, machines in machines, and machines far away.

In come a cluster file and what a consumer asks of a device (runtime.border).  Out come frames down to the
instances, and what they send up, checked, mapped and merged, so that a consumer sees one device.

The rooms, from the lowest to the highest.  None imports a higher one:

    roster/     which instances there are, what they are called, and who they are
    wire/       the messages between two of them, and the connections that carry these
    endpoint/   one machine behind frames
    hop/        several children made one
    starting/   how machines, hops and connections come into being: processes, dask's workers, dinstance(1)
    root/       the top: a device and a machine for the consumer

Start with wire/frames.py, which says what can be said, and hop/relay.py, where it all meets.
"""
