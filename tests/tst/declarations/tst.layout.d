/* Structures are laid out as the System V ABI says, bit-fields included. */
#pragma D option quiet

struct inner { char c; short s; };
struct outer {
	char first;
	struct inner in[3];
	unsigned int low : 3, : 2, high : 9;
	union { long long wide; char narrow[5]; };
	enum { ONE = 1, FOUR = ONE << 2, FIVE } e;
	int (*call)(int, char *);
};
typedef struct outer outer_t, *outer_p;

struct outer o;
outer_p p;
int matrix[2][3];

BEGIN
{
	printf("%d %d %d\n", sizeof (outer_t), sizeof (outer_p), sizeof (matrix));
	printf("%d %d %d\n", offsetof(outer_t, in), offsetof(struct outer, wide), offsetof(outer_t, call));
	o.high = 300;
	o.low = 5;
	o.in[1].s = -7;
	o.e = FIVE;
	printf("%d %d %d %d %d\n", o.high, o.low, o.in[1].s, o.e, o.e == FIVE);
	exit(0);
}
