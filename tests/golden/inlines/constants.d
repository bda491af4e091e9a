inline int answer = 42;
inline string greeting = "hello";
BEGIN { trace(answer); trace(greeting); x = answer * 2; }
