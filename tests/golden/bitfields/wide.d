struct flags { uint64_t low : 40; uint64_t high : 24; } *f;
BEGIN { trace(f->low); trace(f->high); }
