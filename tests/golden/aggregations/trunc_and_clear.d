BEGIN { @a[pid] = count(); }
END { trunc(@a, 5); trunc(@a, -3); clear(@a); trunc(@a); }
