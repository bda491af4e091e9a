/* Entries and returns of nested functions balance; return values are right. */
#pragma D option quiet

int wrong;

pid$1:a.out:sign:entry
{
	self->argument = (int)arg0;
	@[probefunc, probename] = count();
}

pid$1:a.out:sign:return
{
	@[probefunc, probename] = count();
	self->expected = self->argument > 0 ? 1 : self->argument < 0 ? -1 : 0;
	wrong = wrong + ((int)arg1 != self->expected);
}

pid$1:a.out:twice:
/probename == "entry" || probename == "return"/
{
	@[probefunc, probename] = count();
}

pid$1:a.out:twice:entry
{
	depth++;
}

pid$1:a.out:twice:return
{
	depth--;
}

proc:::exit
/pid == $1/
{
	printf("depth %d, wrong %d\n", depth, wrong);
	exit(0);
}
