BEGIN /(arg0 == 1 || arg1 == 2) && !(arg2 == 3 || arg3)/ { trace(1); }
