BEGIN { self->spec = speculation(); }
BEGIN /self->spec/ { speculate(self->spec); trace(timestamp); printf("%d\n", arg0); }
END /self->spec && errno/ { commit(self->spec); self->spec = 0; }
END /self->spec && !errno/ { discard(self->spec); self->spec = 0; }
