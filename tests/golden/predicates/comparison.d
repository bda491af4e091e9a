BEGIN /arg0 == 3/ { trace(1); }
