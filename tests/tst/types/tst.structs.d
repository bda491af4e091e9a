/* Sizes and offsets follow the 64-bit System V layout. */
#pragma D option quiet
struct pair {
	char tag;
	int64_t value;
	struct { short a, b; } inner;
	int bits : 3, more : 7;
};
union either {
	char c[12];
	long l;
};
enum colour { RED, GREEN = 5, BLUE };
BEGIN
{
	printf("%d %d %d\n", sizeof (struct pair), sizeof (union either), sizeof (enum colour));
	printf("%d %d\n", offsetof(struct pair, value), offsetof(struct pair, inner));
	printf("%d %d %d\n", RED, GREEN, BLUE);
	printf("%d %d\n", sizeof (string), sizeof (void *));
	exit(0);
}
