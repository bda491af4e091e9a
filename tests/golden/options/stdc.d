/* dc: -C -x stdc=s */
#ifdef __STDC__
BEGIN { trace(1); }
#else
BEGIN { trace(2); }
#endif
