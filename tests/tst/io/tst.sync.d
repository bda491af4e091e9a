/* What is synced goes to the disk, and somebody waits for it. */
#pragma D option quiet
io:::start
/pid == $1 && !(args[0]->b_flags & B_READ) && args[0]->b_bcount == 4096/
{
	self->started = args[0]->b_blkno + 1;
	self->at = timestamp;
}
io:::wait-done
/self->started == args[0]->b_blkno + 1 && timestamp > self->at/
{
	printf("%s %s\n", args[1]->dev_name, args[2]->fi_name);
	exit(0);
}
tick-1sec { exit(1); }
