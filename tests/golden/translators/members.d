struct raw { int number; char name[8]; };
typedef struct shown { int n; string s; int twice; } shown_t;
translator shown_t < struct raw *r > { n = r->number; s = stringof(r->name); twice = r->number * 2; };
BEGIN { this->p = (struct raw *)arg0; trace(xlate <shown_t *> (this->p)->n); trace(xlate <shown_t> (this->p).s); }
