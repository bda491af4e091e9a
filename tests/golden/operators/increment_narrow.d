char c;
unsigned short h;
BEGIN { c++; h--; trace(++c); trace(h++); }
