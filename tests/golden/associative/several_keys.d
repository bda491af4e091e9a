BEGIN { seen[pid, execname, probefunc] = timestamp; trace(seen[1, "init", "main"]); }
