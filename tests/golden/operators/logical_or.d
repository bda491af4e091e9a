BEGIN { trace(arg0 || arg1); trace(arg0 || arg1 || arg2); }
