/* A write's uio_t tells what is left of it: all at first, nothing when it is done. */
fbt::fop_write:entry
/pid == $1 && args[1]->uio_iovcnt == 2/
{
	self->uio = args[1];
	self->bytes = args[1]->uio_resid;
	self->second = args[1]->uio_iov[1].iov_len;
	self->offset = args[1]->_uio_offset._f;
}

fbt::fop_write:return
/self->uio/
{
	this->moved = self->uio->_uio_offset._f - self->offset;
	exit(self->bytes == 11 && self->second == 6 && self->uio->uio_resid == 0 && this->moved == 11 ? 0 : 1);
}

tick-1sec { exit(2); }
