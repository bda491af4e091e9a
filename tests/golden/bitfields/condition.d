struct flags { unsigned int ready : 1; unsigned int state : 2; } *f;
BEGIN /f->ready && f->state == 2/ { trace(f->state ? 1 : 0); }
