struct shown { int big; };
translator struct shown < int v > { big = v > 100; };
BEGIN /xlate <struct shown> ((int)arg0).big/ { trace(1); }
