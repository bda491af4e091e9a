struct flags { unsigned char a : 2, : 3, b : 3; unsigned char : 0; unsigned char c : 4; } *f;
BEGIN { trace(f->a); trace(f->b); trace(f->c); }
