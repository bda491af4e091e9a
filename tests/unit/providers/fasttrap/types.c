/* Types of every kind, and functions that take them; prints its own idea of their layout. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum color { RED, GREEN = 5, BLUE = -2 };

typedef struct point point_t;

struct inner {
	short s;
	char name[8];
};

struct point {
	int x;
	unsigned a : 3, b : 5;
	uint64_t wide : 40;
	struct inner in;
	enum color c;
	point_t *next;
	double d;
	const char *label;
	union { int i; float f; } u;
	struct { int first, second; };
	int (*call)(int, ...);
	long grid[2][3];
};

struct pair { long one, two; };
struct mixed { double d; int i; };
struct large { long all[4]; };

long reads(point_t *p, const char *text, long n) { return p->x + *text + n; }
long mixes(double d, int first, struct pair two, struct mixed m, float f, char last)
{ return (long)(d + first + two.one + m.i + f + last); }
long many(int a, struct large l, long b, long c, long d, long e, long f, short seventh, unsigned char eighth)
{ return a + b + c + d + e + f + seventh + eighth + l.all[0]; }
struct large makes(int n) { return (struct large){ { n } }; }
point_t *follows(point_t *p) { return p->next; }
void nothing(int n, ...) { (void)n; }

#define SHOW(member) printf(#member " %zu %zu\n", offsetof(point_t, member), sizeof(((point_t *)0)->member))

int main(void)
{
	point_t second = { .x = 9 };
	point_t first = { 1, 5, 17, 1ull << 39, { 3, "abc" }, BLUE, &second, 1.5, "label", { 7 }, { 8, 11 } };
	struct pair pair = { 100, 200 };
	struct mixed mixed = { 2.5, 300 };
	struct large large = { { 1 } };

	SHOW(x); SHOW(in); SHOW(c); SHOW(next); SHOW(d); SHOW(label); SHOW(u); SHOW(second); SHOW(call); SHOW(grid);
	reads(&first, "text", 42);
	mixes(1.5, -3, pair, mixed, 2.5f, 'z');
	many(1, large, 2, 3, 4, 5, 6, -7, 200);
	makes(4);
	follows(&first);
	nothing(0);
	return 0;
}
