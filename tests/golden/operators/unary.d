int n;
BEGIN { a = -n; b = +n; c = !n; d = ~n; e = !!n; }
