/* A cast to a type that the kernel does not have. */
BEGIN
{
	this->queue = (taskq_t *)arg0;
}
