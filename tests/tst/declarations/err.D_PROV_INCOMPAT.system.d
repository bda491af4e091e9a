/* A provider that the system has, and a probe with an argument too many. */
provider sched {
	probe on__cpu();
	probe wakeup(lwpsinfo_t *, psinfo_t *, int);
};

BEGIN
{
	exit(0);
}
