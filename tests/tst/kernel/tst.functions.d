/* Functions of the kernel have addresses, as its variables have: pointers of one type, as libdtrace says. */
#pragma D option quiet

BEGIN
{
	printf("%a %a\n", &`fop_read, &genunix`fop_read);
	func((uintptr_t)&`fop_read);
	printf("\n%d %d\n", sizeof (`fop_read), &`fop_read == &genunix`fop_read);
	exit(0);
}
