BEGIN
{
	trace(1 + 2 * arg0 - 4 / arg1 % 3);
	trace(arg0 | arg1 ^ arg2 & arg3);
	trace(arg0 << 2 + 1 < arg1 == arg2);
	trace(!arg0 + ~arg1 * -arg2);
	trace(arg0 || arg1 ^^ arg2 && arg3);
}
