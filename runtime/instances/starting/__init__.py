"""How machines, hops and connections come into being.

In comes a cluster's description; out come the children of a hop, and processes that serve.

    starter.py       processes of this host, connections to others, recordings; start here
    launcher.py      the whole tree below a root
    daskengine.py    relays on the workers of dask.distributed
    workerprocess.py the process of such a relay
    dinstance.py     dinstance(1): serves a machine to other hosts
"""
