int n;
self int m;
BEGIN { trace(n++); trace(++n); trace(n--); trace(--n); self->m++; ++self->m; this->k--; }
