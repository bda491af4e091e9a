BEGIN { trace(strlen(strjoin(basename(execname), lltostr(strlen(dirname(execname)))))); }
