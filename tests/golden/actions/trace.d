BEGIN { trace(1); trace(execname); trace((char)arg0); trace(timestamp); }
