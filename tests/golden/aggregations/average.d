BEGIN { @a = avg(arg0); @b[cpu] = stddev(arg0); }
