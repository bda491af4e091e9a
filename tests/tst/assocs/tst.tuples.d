/* Keys of several types; a stored zero frees the element. */
#pragma D option quiet
BEGIN
{
	price["apple", 3] = 35;
	price["apple", 4] = 45;
	price["bread", 3] = 289;
	printf("%d %d %d %d\n", price["apple", 3], price["apple", 4], price["bread", 3], price["bread", 4]);
	price["apple", 3] = 0;
	printf("%d\n", price["apple", 3]);
	self->name["x"] = "thread";
	printf("[%s] [%s]\n", self->name["x"], self->name["y"]);
	exit(0);
}
