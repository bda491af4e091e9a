/* tracemem(): a fixed size, and a dynamic one. */
#pragma D option quiet
BEGIN
{
	this->p = (char *)alloca(20);
	this->p[0] = 'a';
	this->p[19] = 'z';
	tracemem(this->p, 20);
	tracemem(this->p, 20, 4);
	exit(0);
}
