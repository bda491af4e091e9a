BEGIN
{
	this->p = alloca(32);
	bcopy((void *)arg0, this->p, 32);
	copyinto(arg1, 16, this->p);
	trace(*(int *)copyin(arg2, 4));
	trace(copyinstr(arg3));
	trace(copyinstr(arg3, 10));
}
