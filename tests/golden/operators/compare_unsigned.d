BEGIN
{
	this->a = (uint32_t)arg0;
	this->b = (uint32_t)arg1;
	trace(this->a < this->b);
	trace(this->a <= this->b);
	trace(this->a > this->b);
	trace(this->a >= this->b);
}
