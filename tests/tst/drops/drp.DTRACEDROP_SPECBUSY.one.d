/* The only speculation is still being discarded: nothing was recorded, so the cleaner has to ask every CPU. */
#pragma D option cleanrate=1s
BEGIN
{
	discard(speculation());
	speculation();
	exit(0);
}
END
{
	speculate(0);
	trace(0);
}
