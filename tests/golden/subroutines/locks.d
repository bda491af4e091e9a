BEGIN
{
	this->m = (kmutex_t *)arg0;
	this->r = (krwlock_t *)arg1;
	trace(mutex_owned(this->m));
	trace(mutex_owner(this->m));
	trace(mutex_type_adaptive(this->m));
	trace(mutex_type_spin(this->m));
	trace(rw_read_held(this->r));
	trace(rw_write_held(this->r));
	trace(rw_iswriter(this->r));
}
