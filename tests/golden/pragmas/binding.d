#pragma D binding "1.0" early
inline int early = 1;
BEGIN { trace(early); }
