/* BEGIN fires in the dtrace process: its own names, arguments and environment, in its own memory. */
#pragma D option quiet
BEGIN
/execname == "dtrace" && pid == $pid && curthread->t_procp->p_user.u_argc > 1/
{
	this->argv = (uintptr_t *)copyin(curthread->t_procp->p_user.u_argv, 2 * sizeof (uintptr_t));
	this->words = strjoin(copyinstr(this->argv[0]), strjoin(" ", copyinstr(this->argv[1])));
	printf("%s\n", copyinstr(this->argv[0]));
	printf("%d\n", index(curpsinfo->pr_psargs, this->words));
	this->envp = *(uintptr_t *)copyin(curpsinfo->pr_envp, sizeof (uintptr_t));
	printf("%d\n", index(copyinstr(this->envp), "=") > 0);
	this->code = (uint8_t *)copyin(uregs[R_RIP] - 2, 2);
	printf("%x %x %s\n", this->code[0], this->code[1], fds[3].fi_pathname);
	exit(0);
}
