BEGIN { trace(substr(execname, 2)); trace(substr(execname, 1, 3)); trace(substr(execname, -2, arg0)); }
