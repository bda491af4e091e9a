proc:::exec-success { started[pid] = timestamp; names[pid] = execname; }
proc:::exit
/started[pid]/
{
	printf("%Y %-12s %5d %d.%03d\n", walltimestamp, names[pid], pid, (timestamp - started[pid]) / 1000000000,
	    ((timestamp - started[pid]) / 1000000) % 1000);
	started[pid] = 0;
	names[pid] = 0;
}
