BEGIN { trace(arg0 + 0); trace(arg0 * 1); trace(arg0 | 0); trace(arg0 & -1); trace(arg0 << 0); }
