io:::start { printf("%d %s %s\n", args[0]->b_bcount, args[1]->dev_statname, args[2]->fi_pathname); }
