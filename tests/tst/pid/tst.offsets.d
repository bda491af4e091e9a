/* Every instruction of a function: the first is hit as often as the function is entered. */
#pragma D option quiet

pid$1:a.out:twice:
{
	@all[probefunc] = count();
}

pid$1:a.out:twice:entry,
pid$1:a.out:twice:0
{
	first[probename]++;
}

proc:::exit
/pid == $1/
{
	printf("%d %d\n", first["entry"], first["0"]);
	exit(0);
}

END
{
	clear(@all);
	trunc(@all);
}
