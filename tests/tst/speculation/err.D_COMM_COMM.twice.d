BEGIN
{
	self->i = speculation();
	commit(self->i);
	commit(self->i);
}
