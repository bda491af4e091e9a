/* A library that is loaded and unloaded. */
__attribute__((noinline)) int
twice(int n)
{
	__asm__ volatile ("");
	return (2 * n);
}

int
plugin(int n)
{
	return (twice(n) + 1);
}
