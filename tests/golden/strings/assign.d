string s;
self string t;
BEGIN { s = "abc"; self->t = s; this->u = self->t; trace(this->u); s = 0; }
