/* aggsortkey, aggsortrev, aggsortkeypos and aggsortpos. */
#pragma D option quiet
BEGIN
{
	@a[1, "z"] = sum(30); @a[2, "y"] = sum(10); @a[3, "x"] = sum(20);
	@b[1, "z"] = sum(1); @b[2, "y"] = sum(3); @b[3, "x"] = sum(2);
	printf("value:\n"); printa("%d %s %@d\n", @a);
	setopt("aggsortrev"); printf("rev:\n"); printa("%d %s %@d\n", @a); setopt("aggsortrev", "no");
	setopt("aggsortkey"); printf("key:\n"); printa("%d %s %@d\n", @a);
	setopt("aggsortkeypos", "1"); printf("keypos:\n"); printa("%d %s %@d\n", @a);
	setopt("aggsortkey", "no");
	printf("pos 0:\n"); printa("%d %s %@d %@d\n", @a, @b);
	setopt("aggsortpos", "1"); printf("pos 1:\n"); printa("%d %s %@d %@d\n", @a, @b);
	exit(0);
}
