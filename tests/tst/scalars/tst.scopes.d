/* A global, a thread's and a clause's variable of one name are three variables. */
#pragma D option quiet
BEGIN
{
	x = 1;
	self->x = 2;
	this->x = 3;
	printf("%d %d %d\n", x, self->x, this->x);
	x += 10;
	self->x++;
	this->x <<= 2;
	printf("%d %d %d\n", x, self->x, this->x);
	exit(0);
}
END
{
	printf("%d\n", x);
}
