BEGIN { printf("%d %i %u %x %X %o\n", 1, 2, 3, 4, 5, 6); }
