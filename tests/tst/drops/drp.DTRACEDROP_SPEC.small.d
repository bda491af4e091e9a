/* A record too large for a speculation's buffer. */
#pragma D option specsize=64
BEGIN
{
	self->spec = speculation();
}
BEGIN
{
	speculate(self->spec);
	printf("%s", "a string takes 256 bytes");
}
BEGIN
{
	commit(self->spec);
}
BEGIN
{
	exit(0);
}
