BEGIN { @a = llquantize(arg0, 10, 0, 6, 20); @b[pid] = llquantize(arg0, 2, 3, 8, 2, 5); }
