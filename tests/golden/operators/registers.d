/* More values at once than there are registers to hold them without reuse. */
BEGIN
{
	trace(arg0 + (arg1 * (arg2 - (arg3 ^ (arg4 + (arg5 | (arg6 & (arg7 + 1))))))));
}
