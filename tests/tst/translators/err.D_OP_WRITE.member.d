/* What a translator says is computed, and cannot be assigned to. */
BEGIN
{
	curpsinfo->pr_pid = 1;
	exit(0);
}
