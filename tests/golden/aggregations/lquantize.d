BEGIN { @a = lquantize(arg0, 0, 100); @b = lquantize(arg0, -50, 50, 5); @c[pid] = lquantize(arg0, 0, 10, 1, 2); }
