/* && and || evaluate their right side only when it matters; ^^ always does. */
#pragma D option quiet

BEGIN
{
	n = 0;
	0 && n++;
	1 || n++;
	printf("%d ", n);
	1 && n++;
	0 || n++;
	1 ^^ n++;
	printf("%d ", n);
	n > 2 ? (m = 1) : n++;
	printf("%d %d %d %d\n", n, m, 5 ^^ 0, 5 ^^ 6);
	exit(0);
}
