/* chill() spends time where it is called, at most half a second in each second. */
#pragma D option quiet
#pragma D option destructive

BEGIN
{
	self->start = timestamp;
	chill(2000000);
}

BEGIN
{
	self->spent = timestamp - self->start;
	printf("%s\n", self->spent >= 2000000 && self->spent < 3000000 ? "two milliseconds" : "not chilled");
}

BEGIN
{
	chill(600000000);
	printf("not reached\n");
}

ERROR
{
	printf("fault %d\n", arg4);
	exit(0);
}
