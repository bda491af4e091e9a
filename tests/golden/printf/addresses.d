BEGIN { printf("%a %p\n", (uintptr_t)arg1, arg2); printf("%a\n", (void *)arg0); }
