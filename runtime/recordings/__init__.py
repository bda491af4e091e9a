"""Recordings: all that a run took of the host, in one file, from which the machine runs again on any other.

In comes a run with -x record=FILE; out comes the file.  In comes the file, with --replay; out comes what
stands for the host it was made on.

    recording.py     what a recording holds
    fileformat.py    the file: how it is laid out, and what is refused
    source.py        what the next two share
    recorder.py      stands between a machine and the host, and notes what passes
    player.py        stands in the host's place, and notes what it is asked for and does not have

What the kernel asks of a host is runtime.kernel.vfs.disk.source; recorder and player derive from it.  D
programs, options of tracing and dtrace's own output are no part of a recording: another script may be run.
"""
