/* dc: -32 */
struct mixed { char a; long b; void *c; long long d; } *p;
BEGIN { trace(p->b); trace(p->c); trace(p->d); trace(sizeof (struct mixed)); }
