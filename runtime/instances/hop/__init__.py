"""A hop: several children below, one parent above.

In come a parent's instructions and what children send up; out comes what one child would send, with numbers
of this hop's own.

    relay.py         the hop itself; start here
    children.py      a child, the way to it, and its instances
    family.py        requests to all children, their answers, what happens to one that is lost or lies
    enrolment.py     who is there: paths and numbers of instances
    programs.py      what is traced where, and again where an instance comes back
    descriptions.py  what children say of their probes and formats
    harvests.py      what they have recorded
    maps.py          numbers of a child ↔ numbers of ours
    layouts.py       what a child may send, worked out from our own program
    merging.py       aggregations of many made one
    clocks.py        how far a clock is from the host's
    ledger.py        what was produced, delivered and lost
"""
