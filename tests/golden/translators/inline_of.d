struct shown { int n; string s; };
translator struct shown < int v > { n = v; s = v > 10 ? "many" : "few"; };
inline struct shown *current = xlate <struct shown *> ((int)arg0);
BEGIN { printf("%d %s\n", current->n, current->s); }
