/* A ring buffer keeps the latest. */
#pragma D option bufpolicy=ring
#pragma D option bufsize=80
#pragma D option quiet
tick-1ms
/i < 20/
{
	printf("%d ", i++);
}
tick-100ms
{
	exit(0);
}
