BEGIN /execname == "sh"/ { trace(1); }
