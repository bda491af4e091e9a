BEGIN { trace(stringof(arg0)); s = stringof(execname); trace(stringof("literal")); }
