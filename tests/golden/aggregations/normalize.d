BEGIN { @a[pid] = sum(arg0); }
END { normalize(@a, 1000); denormalize(@a); normalize(@a, arg1); }
