BEGIN { this->f = getf(0); trace(this->f == NULL); }
