BEGIN { @a[execname, pid] = count(); }
END { printa(@a); printa("%s %d %@d\n", @a); printa("%-20s %5d %@8u\n", @a); }
