/* The clock ticks for what runs, every 10 ms of its CPU's time. */
#pragma D option quiet
sched:::tick
/args[1]->pr_pid == $1 && args[0]->pr_lwpid > 0/
{
	ticks++;
}
tick-95ms
{
	exit(ticks >= 8 ? 0 : 1);
}
