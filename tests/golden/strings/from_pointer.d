char *p;
char buffer[16];
BEGIN { trace((string)p); trace(stringof(buffer)); s = (string)(char *)arg0; }
