#pragma D option quiet
BEGIN
{
	@ = quantize(0); @ = quantize(1); @ = quantize(3); @ = quantize(3); @ = quantize(-5);
	printa(@);
	exit(0);
}
