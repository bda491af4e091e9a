/* clear(), trunc(), normalize() and denormalize() act in the order of the records. */
#pragma D option quiet
BEGIN
{
	@a["x"] = sum(100);
	@a["y"] = sum(300);
	printa("%s %@d\n", @a);
	normalize(@a, 100);
	printa("%s %@d\n", @a);
	denormalize(@a);
	trunc(@a, 1);
	printa("%s %@d\n", @a);
	clear(@a);
	printa("%s %@d\n", @a);
	trunc(@a);
	printa("%s %@d\n", @a);
	exit(0);
}
