BEGIN { trace(1); ftruncate(); }
