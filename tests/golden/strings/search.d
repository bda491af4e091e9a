BEGIN
{
	trace(strchr(execname, 'x'));
	trace(strrchr(execname, 'x'));
	trace(strstr(execname, "ab"));
	trace(index(execname, "ab"));
	trace(index(execname, "ab", 2));
	trace(rindex(execname, "ab"));
	trace(rindex(execname, "ab", 5));
}
