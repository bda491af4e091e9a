/* A fill buffer stops tracing when the next record does not fit. */
#pragma D option bufpolicy=fill
#pragma D option bufsize=64
#pragma D option quiet
tick-1ms
{
	printf("%d ", i++);
}
tick-10s
{
	printf("never");
	exit(0);
}
