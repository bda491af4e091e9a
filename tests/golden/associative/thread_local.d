self int started[string];
BEGIN { self->started[probefunc] = 1; self->ts[tid, "y"] = timestamp; trace(self->ts[tid, "y"]); self->started[probefunc] = 0; }
