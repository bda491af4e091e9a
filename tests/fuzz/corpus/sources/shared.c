extern int other(int); extern int imported; int data = 3; static int hidden(int a) { return a * data; }
__attribute__((weak)) int weakly(int a) { return other(a) + imported; }
static int one(void) { return 1; }
static void *resolve(void) { return one; }
int chosen(void) __attribute__((ifunc("resolve")));
__attribute__((cold)) int rare(int a) { return hidden(a); }
int (*pointer)(int) = weakly;
