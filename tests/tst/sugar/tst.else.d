#pragma D option quiet
tick-1ms
{
	n++;
	if (n % 2 == 0) {
		printf("%d even\n", n);
	} else if (n == 3) {
		printf("three\n");
	} else {
		printf("%d odd\n", n);
	}
}
tick-1ms
/n == 4/
{
	exit(0);
}
