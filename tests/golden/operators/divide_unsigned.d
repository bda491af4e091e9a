BEGIN { this->a = (uint64_t)arg0; this->b = this->a / 7; this->c = (uint64_t)7 / this->a; }
