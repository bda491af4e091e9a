/* A fault ends its clause only, and ERROR says which, where and why.  (What BEGIN traced comes first.) */
#pragma D option quiet
BEGIN
{
	printf("before\n");
	trace(*(int *)0);
	printf("never\n");
}
BEGIN
{
	printf("after\n");
	exit(0);
}
ERROR
{
	printf("action %d fault %d address %x\n", arg2, arg4, arg5);
}
