BEGIN { @low = min(arg0); @high = max(arg0); @lowest[probefunc] = min(timestamp); }
