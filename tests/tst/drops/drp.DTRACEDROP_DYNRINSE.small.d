/* All the room was freed before the cleaner ran for the first time: it rinses, and cannot be had yet. */
#pragma D option dynvarsize=512
#pragma D option cleanrate=1s
BEGIN
{
	start = timestamp;
}
tick-1ms
/timestamp - start < 100000000/
{
	x[1] = 1;
	x[1] = 0;
}
tick-1500ms
{
	x[1] = 1;
	exit(0);
}
