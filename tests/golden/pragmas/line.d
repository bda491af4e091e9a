#line 100 "elsewhere.d"
BEGIN { trace(1); }
