/*
 * One script for the demo: USDT arguments, a distribution, system calls by
 * name, a user stack, a function's entry and return, and a clock.
 */
#pragma D option quiet

shop$target:::order-start
/arg0 < 3/
{
	printf("order %d by %s\n", arg0, copyinstr(arg1));
}

shop$target:::item-priced
{
	@prices[copyinstr(arg0)] = quantize(arg1);
	@counts["item-priced"] = count();
}

shop$target:::order-start,
shop$target:::order-done
{
	@counts[probename] = count();
}

shop$target:::stock-audit
{
	printf("audit: %d (%s), called from:", arg0, copyinstr(arg1));
	ustack(3);
	@counts[probename] = count();
}

syscall:::entry
/pid == $target/
{
	@calls[probefunc] = count();
}

pid$target::serve:entry
{
	self->start = timestamp;
	@functions["serve", "entered"] = count();
}

pid$target::serve:return
/self->start/
{
	@functions["serve", "returned"] = count();
	@income = sum(arg1);
	self->start = 0;
}

tick-200us
{
	@ticks = count();
}

END
{
	printa("%-24s %@8d\n", @counts);
	printa("%-12s %-11s %@8d\n", @functions);
	printa("income in cents %@d\n", @income);
	printa("%@d ticks of 0.2 ms\n", @ticks);
	printf("prices:\n");
	printa(@prices);
	printf("system calls:\n");
	printa("  %-20s %@6d\n", @calls);
}
