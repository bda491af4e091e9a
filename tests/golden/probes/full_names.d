dtrace:::BEGIN { trace(1); }
syscall::read:entry, syscall::write:entry { @[probefunc] = count(); }
