BEGIN { this->a = (int64_t)arg0; this->b = this->a / 7; this->c = 7 / this->a; }
