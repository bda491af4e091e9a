BEGIN { commit(arg0 + 1); }
END { discard(this->x = 3); }
