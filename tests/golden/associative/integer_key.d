BEGIN { a[1] = 2; trace(a[1]); a[arg0] = arg1; trace(a[arg0] + a[arg1]); }
