enum color { RED, GREEN = 5, BLUE = -2 };
typedef struct point point_t;
struct point { int x; unsigned a : 3, b : 5; enum color c; point_t *next; double d; const char *label;
  union { int i; float f; } u; struct { int first, second; }; int (*call)(int, ...); long grid[2][3]; };
struct pair { long one, two; };
long reads(point_t *p, const char *text, long n) { return p->x + *text + n; }
static __attribute__((noinline)) long mixes(double d, struct pair two, char last) { return (long)d + two.one + last; }
point_t *follows(point_t *p) { struct pair q = { p->x, 2 }; p->x = mixes(p->d, q, 'a'); return p->next; }
