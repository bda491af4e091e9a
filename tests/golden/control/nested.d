BEGIN { if (arg0) { if (arg1) { x = 1; } else { x = 2; } y = x; } else { if (arg2) x = 3; } trace(x); }
