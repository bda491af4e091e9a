struct pair { int a; int b; };
inline struct pair *current = (struct pair *)arg0;
BEGIN { trace(current->a); trace(current->b); }
