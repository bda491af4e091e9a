/* The disk interrupts whoever has the CPU when a transfer is done; who waits for it goes on after that. */
#pragma D option quiet

io:::wait-start
/pid == $1/
{
	waiting = arg0;
}

sdt:::interrupt-start
/arg2 == waiting/
{
	this->dip = (struct dev_info *)arg0;
	self->name = stringof(`devnamesp[this->dip->devi_major].dn_name);
	self->instance = this->dip->devi_instance;
}

io:::done
/self->name != NULL && arg0 == waiting/
{
	self->done = 1;
}

sdt:::interrupt-complete
/self->done/
{
	@[self->name, self->instance, func(arg1), args[3], pid] = count();
	interrupted = (uint64_t)args[2];
	self->name = NULL;
	self->done = 0;
}

io:::wait-done
/pid == $1 && arg0 == interrupted/
{
	printa("%s%d %a %d %d %@d\n", @);
	exit(0);
}

tick-1sec { exit(1); }
