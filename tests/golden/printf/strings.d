BEGIN { printf("%s %S\n", execname, "a\tb"); printf("%s\n", stringof(arg0)); }
