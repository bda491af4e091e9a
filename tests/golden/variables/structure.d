struct pair { int a; char *b; } v;
BEGIN { v.a = 1; v.a += 2; v.b = (char *)arg0; trace(v.a); trace(v.b); }
