self int depth;
BEGIN { self->depth++; self->start = timestamp; }
END /self->start/ { trace(timestamp - self->start); self->start = 0; }
