#pragma D option quiet
syscall::read:entry { self->start = timestamp; self->fd = arg0; }
syscall::read:return
/self->start/
{
	this->delta = timestamp - self->start;
	@sizes[execname] = sum(arg0 > 0 ? arg0 : 0);
	@times[execname, self->fd] = quantize(this->delta);
	self->start = 0;
	self->fd = 0;
}
END { printa("%-16s %@12d\n", @sizes); printa(@times); }
