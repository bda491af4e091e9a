/* The list of processes leads from the first one to this one. */
BEGIN
/curthread->t_procp->p_pidp->pid_id == pid && `kernproc->p_pidp->pid_id == 0 && `ncpus == 1/
{
	exit(0);
}
BEGIN { exit(1); }
