/* Structures, numbers and aggregates of numbers by value, in registers and on the stack. */
typedef struct node { long value; struct node *next; } Node;
typedef struct { long a, b; } Two; typedef struct { long a, b, c; } Three; typedef struct { float a; int b; } Mixed;
typedef struct { double d; long n; } Halves; typedef struct { float x, y, z; } Floats;
typedef struct { double re[2]; } Pair; typedef struct { char text[5]; } Text; typedef struct { long double q; } Quad;

#define KEEP __attribute__((noinline, noclone))
KEEP long small(Two two, Mixed mixed, Halves halves, Node node, Text text)
{ return two.a + mixed.b + halves.n + node.next->value + text.text[0]; }
KEEP long floating(float f, double d, Floats floats, Pair pair, int last)
{ return (long)(f + d + floats.x + pair.re[0]) + last; }
KEEP long spilled(long a, long b, long c, Three three, long d, long e, Two two, long f, Two more, Floats v1, Floats v2,
	Floats v3, double v4, short last)
{ return a + b + c + three.a + d + e + two.a + f + more.a + (long)(v1.x + v2.x + v3.x + v4) + last; }
KEEP long turned(float _Complex few, long n, double _Complex z, int last)
{ return (long)(__real__ few + __imag__ z) + n + last; }
KEEP Two two(long n) { return (Two){ n, n + 1 }; }
KEEP Floats three(float n) { return (Floats){ n, n + 1, n + 2 }; }
KEEP Halves halves(long n) { return (Halves){ n * .5, n }; }
KEEP double number(double n) { return n / 2; }
KEEP long long wide(long long n) { return n * 3; }
#ifdef __SIZEOF_INT128__
typedef __int128 Wide;
KEEP Wide huge(int a, Wide b, long c, long d, Wide e, unsigned __int128 f) { return a + b + c + d + e + f; }
#endif

int main(void)
{
	Node last = { 77, 0 };
	Floats v = { 1.5f, 2.5f, 3.5f };
	long sum = small((Two){ 1, 2 }, (Mixed){ 3.25f, 4 }, (Halves){ 5.5, 6 }, (Node){ 7, &last }, (Text){ "abcd" });
	sum += floating(1.25f, 2.125, v, (Pair){ { 8.5, 9.5 } }, 10);
	sum += spilled(1, 2, 3, (Three){ 11, 12, 13 }, 4, 5, (Two){ 14, 15 }, 6, (Two){ 16, 17 }, v,
		(Floats){ 18, 19, 20 }, (Floats){ 21, 22, 23 }, 24.5, -9);
	sum += turned(1.5f, 41, 42.5 + 43.5i, 44);
	sum += two(30).a + (long)three(31).x + halves(32).n + (long)number(33) + wide(1ll << 33);
#ifdef __SIZEOF_INT128__
	sum += (long)huge(51, ((Wide)52 << 64) + 53, 54, 55, -((Wide)56 << 64) + 57, ((Wide)58 << 64) + 59);
#endif
	return sum & 127;
}
