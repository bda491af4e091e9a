struct node { struct node *next; int value; };
struct shown { int second; };
translator struct shown < struct node *n > { second = n->next == NULL ? -1 : n->next->value; };
BEGIN { trace(xlate <struct shown> ((struct node *)arg0).second); }
