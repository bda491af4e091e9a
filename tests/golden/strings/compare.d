BEGIN
/execname == "sh" || execname != probefunc/
{
	trace(execname < "m");
	trace(execname <= "m");
	trace(execname > "m");
	trace(execname >= "m");
}
