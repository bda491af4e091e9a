BEGIN { x = arg0 & 0xff; y = arg1 | 0x80; z = x ^ y; w = ~z; }
