"""Tracing states: everything one open of the device has enabled, recorded and counted.

In comes DOF; out come clauses on probes, and buffers that fill.  enabling.py leads from one to the other,
and through the life of a state (GO, BEGIN, END, STOP, the deadman).  clauses.py lays out a clause's
records. state.py has `State`; its `Ecb`, a clause on a probe; and `Tracing`, which all states share.
"""
