BEGIN { names["one"] = 1; names[execname]++; trace(names["one"]); }
