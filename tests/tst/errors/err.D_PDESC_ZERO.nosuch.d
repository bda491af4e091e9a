nosuch:provider:at:all
{
	trace(1);
}
