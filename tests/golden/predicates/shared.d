/* Clauses with equal predicates. */
self int traced;
BEGIN /self->traced/ { trace(1); }
BEGIN /self->traced/ { trace(2); }
END /self->traced/ { self->traced = 0; }
