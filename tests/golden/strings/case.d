BEGIN { trace(toupper(execname)); trace(tolower("ABC")); }
