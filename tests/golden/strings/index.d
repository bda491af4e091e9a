BEGIN { trace(execname[0]); trace("abc"[1]); }
