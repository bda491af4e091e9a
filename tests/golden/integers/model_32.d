/* dc: -32 */
long l;
BEGIN { l = arg0; trace(sizeof (long)); trace(sizeof (void *)); trace((long)arg0); trace((size_t)arg1); }
