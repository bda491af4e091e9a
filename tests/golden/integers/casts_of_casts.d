BEGIN { trace((int)(unsigned char)arg0); trace((uint64_t)(int)arg0); trace((uint64_t)(short)(int)arg0); }
