int *p;
char **names;
BEGIN { trace(*p); trace(**names); trace(*names[2]); }
