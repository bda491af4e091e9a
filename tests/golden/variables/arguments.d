BEGIN { trace(arg0); trace(arg1); trace(arg2); trace(arg3); trace(arg4); trace(arg5); trace(arg6); trace(arg7); trace(arg8); trace(arg9); }
