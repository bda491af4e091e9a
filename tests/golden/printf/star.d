BEGIN { printf("%*d %-*d %.*s\n", 5, 1, 6, 2, 3, "abcdef"); }
