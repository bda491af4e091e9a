BEGIN { @a[pid, tid, execname, probefunc, arg0 & 0xff] = count(); }
