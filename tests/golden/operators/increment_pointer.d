int *p;
struct big { char bytes[24]; } *q;
BEGIN { p++; ++q; p += 3; q -= 2; }
