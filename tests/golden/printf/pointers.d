BEGIN { printf("%p %p\n", arg0, (void *)arg1); printf("%a\n", caller); }
