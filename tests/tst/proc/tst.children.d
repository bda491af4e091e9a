/* Each child that is created starts, exits and signals its parent. */
#pragma D option quiet
proc:::create /args[0]->pr_ppid == $1/ { created[args[0]->pr_pid] = 1; }
proc:::start /created[pid] == 1/ { created[pid] = 2; }
proc:::exit /created[pid] == 2 && args[0] == CLD_EXITED/ { created[pid] = 3; }
proc:::signal-send
/args[2] == SIGCHLD && args[1]->pr_pid == $1 && created[pid] == 3 && ++whole == 3/
{
	exit(0);
}
tick-1sec { exit(1); }
