#pragma D option destructive
BEGIN { system("echo %d %s", pid, execname); system("date"); }
