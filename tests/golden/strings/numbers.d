BEGIN { trace(lltostr(arg0)); trace(lltostr(arg0, 16)); trace(strtoll("42")); trace(strtoll("2a", 16)); }
