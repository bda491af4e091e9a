/* A key of a gigabyte is dropped before anybody makes one. */
#pragma D option ustackframes=134217728

BEGIN
{
	@[ustack()] = count();
	exit(0);
}
