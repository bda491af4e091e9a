struct all { int8_t a; int16_t b; int32_t c; int64_t d; uint8_t e; uint16_t f; uint32_t g; uint64_t h; } *p;
BEGIN { trace(p->a); trace(p->b); trace(p->c); trace(p->d); trace(p->e); trace(p->f); trace(p->g); trace(p->h); }
