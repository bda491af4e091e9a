/* A second speculation where only one may be open. */
BEGIN
{
	speculation();
	speculation();
	exit(0);
}
