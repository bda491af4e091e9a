/* With temporal output two CPUs' records come in the order of their time. */
#pragma D option quiet
#pragma D option temporal
BEGIN
{
	n = 0;
}
tick-7ms
{
	printf("%d ", n++);
}
tick-100ms
{
	exit(0);
}
