inline int larger[int a, int b] = a > b ? a : b;
BEGIN { trace(larger[3, 4]); trace(larger[arg0, arg1 + 1]); trace(larger[larger[1, arg0], 2]); }
