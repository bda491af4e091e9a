BEGIN { printf("%s %s\n", inet_ntop(2, (void *)arg0), inet_ntoa((ipaddr_t *)arg1)); }
