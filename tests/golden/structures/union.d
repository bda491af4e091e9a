union either { char bytes[8]; uint32_t words[2]; uint64_t all; } *u;
BEGIN { trace(u->all); trace(u->words[1]); trace(u->bytes[arg0]); }
