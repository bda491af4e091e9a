int *p;
short *q;
BEGIN { trace((p + 3)); trace(3 + p); trace(p - 2); trace(p[5]); trace(*(q + arg0)); }
