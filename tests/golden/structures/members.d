struct in { short a, b; };
struct out { char first; struct in in; struct in many[3]; struct in *other; } *p;
BEGIN { trace(p->first); trace(p->in.b); trace(p->many[1].b); trace(p->many[arg0].a); trace(p->other->b); }
