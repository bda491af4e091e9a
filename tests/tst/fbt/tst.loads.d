/* Whatever functions of the kernel are given, following it is a fault at worst. */
#pragma D option quiet
fbt:::entry
{
	n = *(uint64_t *)arg0 + *(uint64_t *)arg1 > 0;
}
fbt::swtch_to:entry
/args[0] != curthread || args[0]->t_procp->p_pidp->pid_id != pid/
{
	exit(2);
}
ERROR
{
	faults++;
}
tick-3s
{
	exit(faults > 0 ? 0 : 1);
}
