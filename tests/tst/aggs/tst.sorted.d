/* printa() sorts by value, equal values by key. */
#pragma D option quiet
BEGIN
{
	@["pear", 2] = sum(5);
	@["apple", 9] = sum(5);
	@["plum", 1] = sum(-1);
	@["fig", 7] = sum(100);
	printa("%s %d %@d\n", @);
	exit(0);
}
END
{
	trunc(@, 2);
	printf("top two:\n");
	printa("%s %d %@d\n", @);
}
