struct pair { int a; long b; };
self struct pair kept;
BEGIN { self->kept.a = arg0; self->kept.b = timestamp; trace(self->kept.b - self->kept.a); }
