# A system call takes time, as seen from its entry to its return.
$1 -q -c /bin/true -n '
syscall::brk:entry { self->since = timestamp; self->busy = vtimestamp; }
syscall::brk:return /self->since/
{
	exit(timestamp > self->since && vtimestamp > self->busy && timestamp - self->since < 1000 ? 0 : 1);
}'
