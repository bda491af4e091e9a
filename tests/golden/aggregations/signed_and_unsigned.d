BEGIN { @a = sum((int64_t)arg0); @b = sum((uint64_t)arg0); @c = max((char)arg0); }
