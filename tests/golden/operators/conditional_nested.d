BEGIN { x = arg0 == 0 ? 10 : arg0 == 1 ? 20 : arg0 == 2 ? 30 : 40; }
