/* rawbytes: what looks like a string is dumped all the same. */
#pragma D option quiet
#pragma D option strsize=20

BEGIN
{
	trace("a string");
	setopt("rawbytes");
	trace("a string");
	exit(0);
}
