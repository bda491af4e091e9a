/* The classic columns of every size of integer, strings and bytes. */
BEGIN
{
	trace((char)1); trace((short)-1); trace(-1); trace(-1LL);
	trace("text");
	exit(0);
}
