struct pair { int a; char b[4]; } *p;
BEGIN { print(1); print(execname); print(*p); print(p->b); print(p); }
