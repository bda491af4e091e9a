/* Values side by side, each as its conversion says: %@u shows a negative one unsigned, whatever comes first. */
#pragma D option quiet
BEGIN
{
	@n["a"] = count();
	@s["a"] = sum(-1000);
	@l["a"] = min(-7);
	@s["b"] = sum(12);
	printa("%s %@d %@d %@d\n", @n, @s, @l);
	printa("%s %@u %@u %@u\n", @n, @s, @l);
	printa("%s %@u %@d %@i\n", @s, @n, @s);
	printa("%s %@x %@5d| %@-6d|\n", @n, @l, @s);
	exit(0);
}
