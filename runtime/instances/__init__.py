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
"""
