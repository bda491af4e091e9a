int flag;
BEGIN { flag = arg0 == 1; flag = !flag; trace(flag ? 7 : 8); }
BEGIN /flag/ { trace(1); }
BEGIN /!flag/ { trace(2); }
