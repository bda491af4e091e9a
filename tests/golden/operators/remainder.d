BEGIN { this->a = (int64_t)arg0 % 10; this->b = (uint64_t)arg0 % 10; }
