/* Every aggregating function over the same small set of values. */
#pragma D option quiet
BEGIN
{
	@n = count(); @n = count(); @n = count();
	@s = sum(4); @s = sum(10); @s = sum(-2);
	@lo = min(4); @lo = min(10); @lo = min(-2);
	@hi = max(4); @hi = max(10); @hi = max(-2);
	@mean = avg(4); @mean = avg(10); @mean = avg(-2);
	@dev = stddev(4); @dev = stddev(10); @dev = stddev(-2);
	printa("%@d %@d %@d %@d %@d %@d\n", @n, @s, @lo, @hi, @mean, @dev);
	exit(0);
}
