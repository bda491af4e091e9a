/* What a program has written and not synced goes to the disk when it has been in memory for half a minute. */
#pragma D option quiet
io:::start
/args[2]->fi_name == "tst.fsflush.tmp" && progenyof($1) == 0/
{
	printf("%s %s %d bytes after %d s\n", execname, args[0]->b_flags & B_WRITE ? "writes" : "reads",
	    args[0]->b_bcount, timestamp / 1000000000);
	exit(0);
}
tick-60s
{
	exit(1);
}
