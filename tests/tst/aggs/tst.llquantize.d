/* llquantize(): equal steps in each order of magnitude, with what is below and above all. */
#pragma D option quiet

BEGIN
{
	@a = llquantize(0, 10, 0, 2, 10);
	@a = llquantize(1, 10, 0, 2, 10);
	@a = llquantize(9, 10, 0, 2, 10);
	@a = llquantize(10, 10, 0, 2, 10);
	@a = llquantize(25, 10, 0, 2, 10, 4);
	@a = llquantize(999, 10, 0, 2, 10);
	@a = llquantize(1000, 10, 0, 2, 10);
	exit(0);
}
