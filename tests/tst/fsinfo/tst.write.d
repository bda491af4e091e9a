/* fsinfo tells which file, and how many bytes. */
fsinfo:::write
/pid == $1 && args[0]->fi_name == "counted"/
{
	exit(args[1] == 7 && args[0]->fi_fs == "ufs" && probefunc == "fop_write" ? 0 : 1);
}

tick-1sec { exit(2); }
