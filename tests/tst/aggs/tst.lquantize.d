/* lquantize(): below, every step, at and above, increments, negative bounds. */
#pragma D option quiet

BEGIN
{
	@plain = lquantize(-1, 0, 30, 10);
	@plain = lquantize(0, 0, 30, 10);
	@plain = lquantize(9, 0, 30, 10);
	@plain = lquantize(29, 0, 30, 10, 2);
	@plain = lquantize(30, 0, 30, 10);
	printa(@plain);
	@negative = lquantize(-7, -10, 10, 5, -3);
	@negative = lquantize(7, -10, 10, 5, 3);
	printa(@negative);
	normalize(@plain, 2);
	printa(@plain);
	exit(0);
}
