profile-97 { @[pid] = count(); }
tick-1sec { trace(1); }
profile-10ms, tick-100hz { n++; }
