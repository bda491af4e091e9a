# What programs say of providers: those that only they declare, and their stability, in -l's reports.
dtrace=$1

$dtrace -qn 'provider io { probe start(bufinfo_t *, devinfo_t *, fileinfo_t *); };
provider sched { probe wakeup(lwpsinfo_t *, psinfo_t *); };
BEGIN { exit(0); }' || exit 1

$dtrace -lvn '
provider shop { probe order__start(int id, char *customer) : (string customer, int id); };
#pragma D attributes Evolving/Stable/ISA provider shop provider
#pragma D attributes Private/Private/CPU provider dtrace args
shop:::order-start, dtrace:::BEGIN { }'
