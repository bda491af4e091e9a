/* What is committed appears, what is discarded does not. */
#pragma D option quiet
BEGIN
{
	self->kept = speculation();
	self->lost = speculation();
}
BEGIN
/self->kept/
{
	speculate(self->kept);
	printf("kept %d\n", 1);
}
BEGIN
/self->lost/
{
	speculate(self->lost);
	printf("lost\n");
}
BEGIN
{
	commit(self->kept);
}
BEGIN
{
	discard(self->lost);
}
tick-10ms
{
	exit(0);
}
