self int start;
inline int elapsed = timestamp - self->start;
BEGIN { self->start = timestamp; }
END { trace(elapsed); @ = avg(elapsed); }
