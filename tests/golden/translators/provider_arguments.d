typedef struct shown { string text; int size; } shown_t;
struct raw { char text[16]; int size; };
translator shown_t < struct raw *r > { text = stringof(r->text); size = r->size; };
provider own { probe hit(struct raw *r) : (shown_t *r); };
BEGIN { trace(xlate <shown_t *> ((struct raw *)arg0)->size); }
