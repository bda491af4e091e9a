BEGIN { trace(0x0); trace(0x7fffffff); trace(0x80000000); trace(0xffffffff); trace(0xffffffffffffffff); }
