/* Constants are computed by the compiler. */
BEGIN
{
	trace(2 + 3 * 4);
	trace((7 << 4) | 3);
	trace(100 / 7 % 5);
	trace(-5 / 2);
	trace(~0 ^ 0xf);
	trace(5 > 3 && 2 < 1);
	trace(1 ? 10 : arg0);
	trace(!0);
}
