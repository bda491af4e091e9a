struct later;
struct user { struct later *pointer; };
struct later { int value; };
struct user *u;
BEGIN { trace(u->pointer->value); }
