struct table { int sizes[4]; char names[3][8]; } *t;
BEGIN { trace(t->sizes[2]); trace(stringof(t->names[1])); trace(t->names[arg0][arg1]); }
