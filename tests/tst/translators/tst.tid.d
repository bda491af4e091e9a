/*
 * A thread has one number: the variable, the kernel's and the translated one are the same.
 */
#pragma D option quiet

BEGIN
/tid == curthread->t_tid && tid == curlwpsinfo->pr_lwpid/
{
	exit(0);
}

BEGIN
{
	printf("%d %d %d\n", tid, curthread->t_tid, curlwpsinfo->pr_lwpid);
	exit(1);
}
