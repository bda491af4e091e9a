BEGIN
{
	trace(nothing_of_this_name);
}
