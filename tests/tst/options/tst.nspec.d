/* nspec: as many speculations at once as there are buffers. */
#pragma D option quiet
#pragma D option nspec=2

BEGIN
{
	printf("%d %d %d\n", speculation(), speculation(), speculation());
	exit(0);
}
