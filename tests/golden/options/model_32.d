/* dc: -32 */
BEGIN { this->p = (char **)arg0; trace(this->p[2]); trace((intptr_t)arg0); }
