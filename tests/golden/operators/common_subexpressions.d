int y;
BEGIN { trace((arg0 + arg1) * (arg0 + arg1)); x = y * y + y * y; }
