/* What the file system does of an operation: its functions are called by those for all file systems. */
fbt::ufs_create:entry
/pid == $1 && stringof(args[1]) == "tst.ufs.file" && stringof(args[0]->v_path) == "/tmp"/
{
	self->made = 1;
}

fbt::fop_open:entry
/self->made/
{
	self->depth = stackdepth;
}

fbt::ufs_open:entry
/self->depth && stackdepth > self->depth/
{
	self->opened = stringof((*args[0])->v_path) == "/tmp/tst.ufs.file";
}

fbt::ufs_close:return
/self->opened && args[1] == 0/
{
	self->closed = 1;
}

fbt::ufs_remove:entry
/self->closed && stringof(args[1]) == "tst.ufs.file"/
{
	exit(0);
}

tick-1sec { exit(1); }
