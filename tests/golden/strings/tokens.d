BEGIN { trace(strtok("a:b:c", ":")); trace(strtok(NULL, ":")); }
