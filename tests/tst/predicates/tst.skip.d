/* A false predicate skips its clause and no other. */
#pragma D option quiet
BEGIN
/1 == 2/
{
	printf("wrong\n");
}
BEGIN
/execname == "dtrace" && pid == $pid/
{
	printf("right\n");
	exit(0);
}
