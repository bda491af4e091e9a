BEGIN { if (arg0 > 3) { trace(1); } else { trace(2); } trace(3); }
