inline int one = 1;
inline int two = one + one;
inline int four = two * two;
BEGIN { trace(four); }
