BEGIN { trace(htons(arg0)); trace(htonl(arg0)); trace(htonll(arg0)); trace(ntohs(0x1234)); trace(ntohl(arg1)); trace(ntohll(arg2)); }
