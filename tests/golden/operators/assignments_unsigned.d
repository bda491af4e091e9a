uint64_t n;
BEGIN { n /= 3; n %= 4; n >>= 5; }
