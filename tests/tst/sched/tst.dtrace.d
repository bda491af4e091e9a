/* dtrace itself wakes as often as its rates say, and fsflush once a second; between them, nobody runs. */
#pragma D option quiet
#pragma D option switchrate=100ms
#pragma D option aggrate=100ms
sched:::wakeup
/pid == 0/
{
	@woken[args[1]->pr_fname] = count();
}
syscall::ioctl:entry
/pid == $pid/
{
	asked++;
}
sched:::on-cpu
/pid != $pid && execname != "fsflush"/
{
	printf("%s runs\n", execname);
}
tick-3050ms
{
	printf("%d\n", asked);
	exit(0);
}
