#pragma D option quiet
BEGIN
{
	printf("[%5d] [%-5d] [%05d] [%+d]\n", 42, 42, 42, 42);
	printf("[%x] [%X] [%#x] [%o] [%#o]\n", 255, 255, 255, 8, 8);
	printf("[%8s] [%-8s] [%.2s]\n", "abc", "abc", "abc");
	printf("[%c%c] [%%]\n", 'o', 'k');
	printf("[%*d] [%-*d]\n", 6, 7, 6, 7);
	printf("[%lld] [%hd] [%llu]\n", (long long)1234567890123, (short)-3, (unsigned long long)-1);
	printf("[%p] [%i]\n", (void *)0x1000, -9);
	exit(0);
}
