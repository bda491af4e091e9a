/* More keys than a small aggregation buffer holds. */
#pragma D option aggsize=256
#pragma D option aggrate=10s
tick-1ms
{
	@[timestamp] = count();
}
tick-100ms
{
	exit(0);
}
