BEGIN { trace(inet_ntop(2, (void *)arg0)); trace(inet_ntoa((ipaddr_t *)arg1)); trace(inet_ntoa6((in6_addr_t *)arg2)); }
