BEGIN { printf("only text\n"); printf("%%"); printf("\t"); }
