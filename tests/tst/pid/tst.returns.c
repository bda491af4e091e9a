#include <unistd.h>

__attribute__((noinline)) int
sign(int n)
{
	if (n < 0)
		return (-1);
	return (n > 0);
}

__attribute__((noinline)) int
twice(int n)
{
	return (sign(n) + sign(-n));
}

int
main(void)
{
	volatile int sum = 0;
	int i;

	for (i = 0; i < 10; i++)
		sum += twice(i);
	return (sum);
}
