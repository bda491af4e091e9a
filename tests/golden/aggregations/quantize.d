BEGIN { @a = quantize(arg0); @b[execname] = quantize(arg0, 3); }
