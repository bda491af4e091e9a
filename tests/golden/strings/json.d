BEGIN { trace(json("{\"a\": [1, 2]}", "a[1]")); trace(strtoll(json(execname, "n"))); }
