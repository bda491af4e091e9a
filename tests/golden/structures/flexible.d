struct tail { int count; char bytes[]; } *t;
BEGIN { trace(t->count); trace(t->bytes[3]); }
