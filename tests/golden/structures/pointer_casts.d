struct pair { int a; int b; };
BEGIN { trace(((struct pair *)arg0)->b); trace(*(int *)(arg0 + 4)); trace(((struct pair *)arg0)[2].a); }
