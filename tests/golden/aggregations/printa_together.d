BEGIN { @a[execname] = count(); @b[execname] = sum(arg0); }
END { printa("%s %@d %@d\n", @a, @b); printa(@a, @b); }
