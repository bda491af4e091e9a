/* Strings compare by contents; no more than strsize bytes of one are kept. */
#pragma D option quiet
#pragma D option strsize=8
BEGIN
{
	x = "0123456789";
	printf("%s %d\n", x, strlen(x));
	printf("%d %d %d\n", "abc" < "abd", "abc" == "abc", "b" > "abc");
	exit(0);
}
