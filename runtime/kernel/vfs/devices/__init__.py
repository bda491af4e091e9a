"""/dev: devices as files.

In come reads, writes and ioctl(2) requests of a calling thread; out come bytes, and signals to the processes
that a terminal controls.

Read in this order: terminal (what controls a session, and what it must know of processes), discipline (what
a terminal does to bytes), pts and pty (pseudo-terminals), host (descriptors and the terminal of the host),
devfs (the directory, and the devices that every machine has).
"""
