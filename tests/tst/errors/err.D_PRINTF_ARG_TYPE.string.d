BEGIN
{
	printf("%s", 3);
}
