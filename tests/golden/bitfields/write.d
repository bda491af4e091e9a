struct flags { unsigned int a : 3; int b : 5; unsigned int c : 24; } v;
BEGIN { v.a = 5; v.b = -3; v.c = arg0; }
