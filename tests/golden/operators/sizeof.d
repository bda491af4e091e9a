struct pair { char a; long b; };
struct pair *p;
BEGIN { trace(sizeof (int)); trace(sizeof (struct pair)); trace(sizeof (p)); trace(sizeof (*p)); trace(sizeof (p->b)); }
