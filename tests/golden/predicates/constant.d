BEGIN /1/ { trace(1); }
BEGIN /0/ { trace(2); }
