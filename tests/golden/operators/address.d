int n;
int *p;
struct pair { int a; int b; } *pair;
BEGIN { p = &pair->b; trace(*&pair->a); trace((uintptr_t)&pair->b - (uintptr_t)pair); }
