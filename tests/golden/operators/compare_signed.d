BEGIN
{
	this->a = (int)arg0;
	this->b = (int)arg1;
	trace(this->a < this->b);
	trace(this->a <= this->b);
	trace(this->a > this->b);
	trace(this->a >= this->b);
	trace(this->a == this->b);
	trace(this->a != this->b);
}
