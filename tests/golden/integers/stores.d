struct all { int8_t a; int16_t b; int32_t c; int64_t d; };
BEGIN
{
	this->p = (struct all *)alloca(sizeof (struct all));
	this->p->a = arg0;
	this->p->b = arg0;
	this->p->c = arg0;
	this->p->d = arg0;
}
