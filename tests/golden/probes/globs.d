syscall::*at:entry { trace(probefunc); }
syscall::[a-m]*:return { trace(arg1); }
syscall:::?ntry { trace(arg0); }
