/* setopt() changes dynamic options; others come too late. */
BEGIN
{
	setopt("quiet");
	printf("quiet ");
	setopt("rawbytes", "on");
	trace("ab");
	setopt("rawbytes", "off");
	trace("ab\n");
	setopt("quiet", "no");
}
END
{
	trace(1);
}
BEGIN
{
	exit(0);
}
