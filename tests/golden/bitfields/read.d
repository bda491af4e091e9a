struct flags { unsigned int a : 1, b : 3, c : 12, d : 16; } *f;
BEGIN { trace(f->a); trace(f->b); trace(f->c); trace(f->d); }
