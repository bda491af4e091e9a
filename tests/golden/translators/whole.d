struct shown { int n; int m; };
translator struct shown < uint64_t v > { n = v & 0xffff; m = v >> 16; };
BEGIN { this->s = xlate <struct shown> ((uint64_t)arg0); trace(this->s.n); trace(this->s.m); }
