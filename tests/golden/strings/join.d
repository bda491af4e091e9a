BEGIN { trace(strjoin("a", "b")); trace(strjoin(strjoin(execname, ":"), probefunc)); }
