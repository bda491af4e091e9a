inline string tag[string s, int n] = strjoin(s, lltostr(n));
BEGIN { trace(tag["a", 1]); trace(tag[execname, pid]); }
