/* A clause whose record does not fit in what is left of the buffer. */
#pragma D option bufsize=128
#pragma D option switchrate=10s
tick-10ms
{
	trace("0123456789");
}
tick-100ms
{
	exit(0);
}
