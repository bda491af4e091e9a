extern int declared_elsewhere;
int n;
BEGIN { n = 1; trace(n); }
