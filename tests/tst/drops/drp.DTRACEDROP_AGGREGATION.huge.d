/* A key of eight hundred megabytes is dropped before anybody makes one. */
#pragma D option ustackframes=100000000

BEGIN
{
	@[ustack()] = count();
	exit(0);
}
