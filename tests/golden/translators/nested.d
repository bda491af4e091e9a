struct low { int a; };
struct high { int b; };
translator struct low < int v > { a = v + 1; };
translator struct high < int v > { b = xlate <struct low> (v).a * 2; };
BEGIN { trace(xlate <struct high> ((int)arg0).b); }
