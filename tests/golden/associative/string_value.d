string last[int];
BEGIN { last[pid] = execname; trace(last[1]); }
