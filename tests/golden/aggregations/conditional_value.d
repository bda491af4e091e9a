BEGIN { @a[arg0 > 10 ? "large" : "small"] = sum(arg0 ? arg1 : 0); }
