"""Which instances there are, what they are called, and who they are.

In come a cluster's file and what providers are heard of; out come its entries, checked, and identities.

    clusterfile.py   which instances there are, and what is allowed to them
    paths.py         the names of instances, and the patterns that mean them
    identities.py    who a provider is at each hop
"""
