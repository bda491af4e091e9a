/* print() of a bit-field of 8 bits that does not start at a byte. */
#pragma D option quiet
struct b { uint16_t a:1; uint16_t b:8; uint16_t c:3; uint16_t d:2; uint16_t e:1; uint16_t f:1; };
BEGIN
{
	this->raw = (uint16_t *)alloca(2);
	*this->raw = 0xe417;
	print(*(struct b *)this->raw);
	printf("\n%x\n", ((struct b *)this->raw)->b);
	exit(0);
}
