BEGIN { trace(00); trace(017); trace(0777); trace(037777777777); }
