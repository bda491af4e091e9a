BEGIN {}
BEGIN /arg0/
{
}
syscall::read:entry { }
