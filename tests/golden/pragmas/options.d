#pragma D option quiet
#pragma D option bufsize=16k
#pragma D option switchrate=10hz
#pragma D option dynvarsize=64k
#pragma D option bufpolicy=ring
BEGIN { trace(1); }
