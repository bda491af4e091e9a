/* More associative array elements than there is room for. */
#pragma D option dynvarsize=512
tick-1ms
{
	x[timestamp] = 1;
}
tick-100ms
{
	exit(0);
}
