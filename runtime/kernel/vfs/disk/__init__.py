"""The root file system: the host's files, and over them what the machine has written.

In come names and offsets; out come nodes and bytes.  The host's files are never changed.

Read in this order: source (all that is asked of the host), sparse and content (the bytes of a file, in memory
or on the host), overlay (nodes and directories), tape (standard input and output of a run that is recorded),
block (which bytes are in memory, and how long the disk takes for the others).
"""
