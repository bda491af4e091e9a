/* A machine without a kernel debugger runs on after breakpoint(). */
#pragma D option quiet
#pragma D option destructive

BEGIN
{
	breakpoint();
	printf("after\n");
	exit(0);
}
