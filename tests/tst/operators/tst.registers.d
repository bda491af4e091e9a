/* An expression may need more values at once than the machine has registers. */
#pragma D option quiet

BEGIN
{
	a = 1;
	b = 2;
	printf("%d\n", (a * 2 - (a * 3 - (a * 4 - (a * 5 - (a * 6 - (a * 7 - (a * 8 - (a * 9 -
	    (b * 2 - (b * 3 - (b * 4 - (b * 5 - (b * 6 - (b * 7 - (b * 8 - b * 9))))))))))))))));
	exit(0);
}
