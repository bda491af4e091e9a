BEGIN { trace(0xffffffffffffffff + 1); trace(0x8000000000000000 >> 4); trace((int64_t)0x8000000000000000 >> 4); }
