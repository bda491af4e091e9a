/* -F: other probes than entry and return are marked, and nothing is indented. */
#pragma D option flowindent
BEGIN
{
	trace(1);
}
END
{
	trace(2);
}
tick-1s
{
	exit(0);
}
