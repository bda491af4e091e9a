struct outer { char first; struct { short a; int b; } in; long last; };
BEGIN { trace(offsetof(struct outer, in)); trace(offsetof(struct outer, last)); }
