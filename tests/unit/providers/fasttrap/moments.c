/* Code that runs before main(): a library's when compiled with -DLIBRARY, else the program's. */
#include <stdio.h>

#ifdef LIBRARY
__attribute__((constructor)) void prepare(void) { setvbuf(stdout, NULL, _IONBF, 0); }
int work(void) { return 0; }
#else
int work(void);
__attribute__((constructor)) void early(void) { setvbuf(stdout, NULL, _IONBF, 0); }
int main(void) { return work(); }
#endif
