/* Storing a bit-field leaves its neighbours alone; a signed one keeps its sign. */
#pragma D option quiet

struct flags {
	unsigned int a : 3;
	int b : 5;
	unsigned int c : 12;
	int d : 12;
} v;

BEGIN
{
	v.a = 7;
	v.b = -9;
	v.c = 4095;
	v.d = -2048;
	printf("%d %d %d %d\n", v.a, v.b, v.c, v.d);
	v.a++;
	v.c -= 95;
	v.d = 5;
	printf("%d %d %d %d\n", v.a, v.b, v.c, v.d);
	exit(0);
}
