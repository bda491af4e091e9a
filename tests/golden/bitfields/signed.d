struct flags { int a : 5; int b : 11; int c : 16; } *f;
BEGIN { trace(f->a); trace(f->b); trace(f->c); }
