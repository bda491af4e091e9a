char *p;
BEGIN /p/ { trace(*p); }
BEGIN /p != NULL/ { trace(2); }
