struct pair { int a; long b; } *p;
BEGIN { @a[p->a, p->b] = sum(p->b); }
