/* Operators bind as in C, with ^^ between && and ||. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d\n", 2 + 3 * 4, (2 + 3) * 4, 2 << 1 + 1);
	printf("%d %d %d\n", 7 / 2, -7 / 2, -7 % 3);
	printf("%d %d\n", 1 ^^ 1, 1 ^^ 0);
	printf("%d %d %d\n", 6 & 3, 6 | 3, 6 ^ 3);
	printf("%d %d\n", !5, ~5);
	printf("%d\n", 1 ? 2 ? 3 : 4 : 5);
	exit(0);
}
