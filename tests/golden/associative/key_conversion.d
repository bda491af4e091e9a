int n[short, uint8_t];
BEGIN { n[arg0, arg1] = 1; trace(n[100000, 300]); }
