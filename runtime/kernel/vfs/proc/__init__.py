"""/proc: the machine, its processes and threads as files.

In come names below /proc; out come directories, links and texts, which are made when a file is opened.

Read in this order: subjects (what is told of, as protocols), mappings (of a process's memory) and proctext
(the other texts), procfs (the files).
"""
