#pragma D option destructive
BEGIN { freopen("/tmp/out.%d", pid); freopen(""); }
