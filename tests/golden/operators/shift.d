BEGIN { this->s = (int64_t)arg0 >> 3; this->u = (uint64_t)arg0 >> 3; this->l = arg0 << arg1; }
