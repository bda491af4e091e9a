int a[int], b[int], c[int, string], d[string];
BEGIN { a[b[arg0]] = c[a[1], "x"]; c[d["y"], "z"] = b[d["y"]]; }
