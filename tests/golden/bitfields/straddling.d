struct flags { uint16_t a : 1; uint16_t b : 8; uint16_t c : 7; } *f;
BEGIN { trace(f->b); trace(f->c); }
