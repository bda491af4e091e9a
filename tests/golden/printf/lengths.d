BEGIN { printf("%hd %ld %lld\n", (short)1, (long)2, (long long)3); printf("%hx %lx %llx\n", (short)1, (long)2, (long long)3); }
