struct pair { int a; int b; } *p;
BEGIN { trace(*p); tracemem(p, sizeof (*p)); print(*p); }
