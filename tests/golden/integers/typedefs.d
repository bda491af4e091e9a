typedef unsigned int word_t;
typedef word_t pair_t[2];
word_t w;
BEGIN { w = arg0; trace(w); trace((word_t)arg1); trace(sizeof (pair_t)); }
