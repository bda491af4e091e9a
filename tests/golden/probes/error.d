BEGIN { trace(*(int *)0); }
ERROR { printf("%d %d %d %d %d\n", arg1, arg2, arg3, arg4, arg5); }
