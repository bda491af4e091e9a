/* dc: -C */
#define DOUBLE(x) ((x) * 2)
#if 1 + 1 == 2
#define VALUE 21
#else
#define VALUE 0
#endif
BEGIN { trace(DOUBLE(VALUE)); trace(__LINE__); }
