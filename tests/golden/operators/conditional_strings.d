BEGIN { s = arg0 ? "yes" : "no"; printf("%s\n", arg1 == 3 ? execname : "other"); }
