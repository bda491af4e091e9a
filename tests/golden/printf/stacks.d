BEGIN { @a[stack(), probefunc] = count(); @b[ustack(4)] = count(); }
END { printa("%k %s %@d\n", @a); printa("%k%@10d\n", @b); }
