BEGIN, END { if (arg0) { printf("%d\n", arg0); } }
