#pragma D option strsize=32
BEGIN { s = "a string"; trace(execname); trace(strjoin(s, s)); }
