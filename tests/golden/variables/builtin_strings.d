BEGIN { trace(execname); trace(zonename); trace(probeprov); trace(probemod); trace(probefunc); trace(probename); trace(threadname); }
