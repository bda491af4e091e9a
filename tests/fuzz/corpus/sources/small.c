enum color { RED, BLUE = -2 };
typedef struct point point_t;
struct point { int x; unsigned a : 3; enum color c; point_t *next; double d; union { int i; float f; } u; long grid[2][3]; };
long reads(point_t *p, const char *text, struct point q) { return p->x + *text + q.x; }
