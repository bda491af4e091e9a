struct flags { unsigned int a : 3; int b : 5; } v;
BEGIN { v.a++; v.b -= 2; --v.b; v.a |= 4; trace(v.a++); }
