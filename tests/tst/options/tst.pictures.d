/* agghist, aggpack and aggzoom: numbers as bars, distributions as lines, the largest at full height. */
#pragma D option quiet
#pragma D option encoding=ascii

BEGIN
{
	@n["one"] = sum(10);
	@n["two"] = sum(20);
	@n["six"] = sum(60);
	setopt("agghist");
	printa(@n);
	setopt("aggzoom");
	printa(@n);
	@m["two"] = count();
	printa(@n, @m);		/* side by side they are columns */
	setopt("aggzoom", "no");
	setopt("agghist", "no");

	@q["low"] = quantize(1);
	@q["low"] = quantize(2);
	@q["high"] = quantize(1000);
	@l["low"] = lquantize(1, 0, 8, 1);
	@l["high"] = lquantize(9, 0, 8, 1);
	setopt("aggpack");
	printa(@q);
	printa(@l);
	printa(@m, @q);
	setopt("encoding", "utf8");
	printa(@q);
	trunc(@n); trunc(@m); trunc(@q); trunc(@l);
	exit(0);
}
