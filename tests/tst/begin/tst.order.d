/* BEGIN clauses run in program order until one calls exit(), and END after them. */
#pragma D option quiet
BEGIN
{
	printf("one\n");
}
BEGIN
{
	printf("two %s\n", probename);
	exit(0);
}
BEGIN
{
	printf("never\n");
}
END
{
	printf("end\n");
}
