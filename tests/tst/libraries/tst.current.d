/* The libraries' inlines describe the thread that fires. */
#pragma D option quiet

BEGIN
{
	printf("%d %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid);
	printf("%d %c\n", curpsinfo->pr_fname == execname, curlwpsinfo->pr_sname);
	printf("%d %d %d\n", SIGKILL, ENOENT, NULL == 0);
	exit(curcpu->cpu_id == cpu ? 0 : 1);
}
