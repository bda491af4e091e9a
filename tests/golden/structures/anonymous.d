struct outer { int kind; union { int number; char *text; }; struct { short low; short high; }; } *p;
BEGIN { trace(p->number); trace(p->text); trace(p->high); }
