BEGIN { x = arg0 ? 1 : 2; y = arg0 > arg1 ? arg0 : arg1; }
