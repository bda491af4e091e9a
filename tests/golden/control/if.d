BEGIN { if (arg0) { trace(1); } }
