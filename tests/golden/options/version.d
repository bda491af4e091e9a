#pragma D option version=1.0
BEGIN { trace(pid); }
