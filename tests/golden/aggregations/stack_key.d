BEGIN { @a[stack()] = count(); @b[ustack(5)] = count(); @c[stack(3), execname] = sum(1); }
