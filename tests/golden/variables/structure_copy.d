struct pair { int a; long b; } v, w;
struct pair *p;
BEGIN { v = w; v = *p; this->c = *p; trace(this->c.b); }
