BEGIN { trace(arg0 ^^ arg1); x = (arg0 > 1) ^^ (arg1 > 1); }
