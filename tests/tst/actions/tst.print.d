/* print() shows a value by its type. */
#pragma D option quiet
struct inner { char c; int bits:3; };
typedef struct outer { int a[2]; struct inner in; char name[8]; enum { RED, GREEN } hue; void *p; } outer_t;
BEGIN
{
	this->o = (outer_t *)alloca(sizeof (outer_t));
	this->o->a[0] = 1;
	this->o->a[1] = 255;
	this->o->in.c = 'q';
	this->o->in.bits = 3;
	this->o->name[0] = 'd';
	this->o->hue = GREEN;
	print(*this->o);
	printf("\n");
	print(this->o->a);
	print(this->o->in.c);
	exit(0);
}
