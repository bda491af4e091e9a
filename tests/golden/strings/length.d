BEGIN { trace(strlen("abc")); trace(strlen(execname)); x = strlen(stringof(arg0)) + 1; }
