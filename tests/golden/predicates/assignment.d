BEGIN /(x = arg0) > 4/ { trace(x); }
