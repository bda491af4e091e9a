/* %d prints an unsigned value as what it is. */
BEGIN { printf("%d %d\n", (unsigned int)arg0, (uint64_t)arg0); }
