BEGIN { @a = sum(arg0); @b[pid] = sum((int)arg1); }
