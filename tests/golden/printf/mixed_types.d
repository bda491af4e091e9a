char c;
unsigned short h;
uint64_t w;
BEGIN { printf("%d %u %d %s %x\n", c, h, w, probename, c + h); }
