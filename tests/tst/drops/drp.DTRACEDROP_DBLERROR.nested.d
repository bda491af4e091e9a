/* An error in the clause that handles errors. */
ERROR
{
	trace(*(int *)0);
}
BEGIN
{
	trace(*(int *)0);
}
tick-1s
{
	exit(0);
}
