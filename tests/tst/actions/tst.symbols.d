/* Addresses of the kernel and of a program, by symbol and by module, as columns and as keys. */
#pragma D option quiet

BEGIN
{
	sym((uintptr_t)&`real_ncpus); printf("|\n");
	func((uintptr_t)&`real_ncpus); printf("|\n");
	mod((uintptr_t)&`real_ncpus); printf("|\n");
	sym(16); printf("|\n");
}

pid$1::told:entry
/!done++/
{
	usym(arg0); printf("|\n");
	ufunc(arg0); printf("|\n");
	uaddr(arg0); printf("|\n");
	umod(arg0); printf("|\n");
	ustack(1);
	@[usym(arg0), umod(arg0), func((uintptr_t)&`real_ncpus)] = count();
	@[usym(arg0 + 1), umod(arg0), sym((uintptr_t)&`real_ncpus)] = count();
	printa("%A in %A, %a: %@d\n", @);
	exit(0);
}
