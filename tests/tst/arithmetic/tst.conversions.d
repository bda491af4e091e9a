/* Conversions that are written and those implied are the same; operands narrower than int are ints. */
#pragma D option quiet
typedef struct pdu { uint8_t dlength[3]; } pdu_t;
typedef struct { uint32_t len; } len_t;
translator len_t < pdu_t *P > { len = P->dlength[0] << 16 | P->dlength[1] << 8 | P->dlength[2]; };
pdu_t *p;
uint8_t b, v, w;
signed char s;
int i;
unsigned int u;

BEGIN
{
	p = (pdu_t *)alloca(4);
	p->dlength[0] = 1;
	p->dlength[1] = 2;
	p->dlength[2] = 3;
	b = 66;
	printf("%d %d %d %d\n", (uint32_t)(b << 8), (int64_t)-b, xlate <len_t *> (p)->len, htonl(b << 8));
	v = strlen(probename) - 6;
	w = 5;
	printf("%d %d\n", v, v < w);
}

BEGIN
{
	i = 1;
	u = 13;
	w = 229;
	s = w;
	printf("%d %d %d %d\n", (i - u) + 0L, (long)(i - u), (i - u) > 0L, (i - 2) / u);
	printf("%d %d\n", s + 0, (i - u) == 4294967284);
	s = 229;
	printf("%d\n", s + 0);
	printf("%d\n", ((int)1 - 13u) + 0L);
}

BEGIN
/(i - 14) + u/
{
	printf("not here\n");
}

/* A key, an increment and a bucket have the value, too; an overflow of int keeps 64 bits. */
BEGIN
{
	a[i - u] = 7;
	printf("%d\n", a[4294967284]);
	@sums["unsigned"] = sum(i - u);
	@sums["narrow"] = sum(b << 8);
	@sums["overflow"] = sum(10 * 1000 * 1000 * 1000);
	@levels = lquantize(b << 1, 0, 200, 50, u - 10 * i);
	exit(0);
}
