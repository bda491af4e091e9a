char c;
short s;
int i;
unsigned char uc;
unsigned short us;
unsigned int ui;
BEGIN { c = arg0; s = arg0; i = arg0; uc = arg0; us = arg0; ui = arg0; trace(c + s + i); trace(uc + us + ui); }
