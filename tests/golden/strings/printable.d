BEGIN { printf("%s %.3s %-10s|%10s\n", execname, execname, "l", "r"); }
