int *p, *q;
struct odd { char bytes[12]; } *r, *s;
BEGIN { trace(p - q); trace(r - s); }
