extern void __dtrace_prov___hit(int, char *); extern void __dtrace_prov___both(void); extern int __dtraceenabled_prov___hit(void);
static __attribute__((noinline)) int quiet(int a) { __dtrace_prov___hit(a, "s"); return a + 1; }
void tail(int a) { __dtrace_prov___hit(a, "tail"); }
int enabled(void) { return __dtraceenabled_prov___hit(); }
int several(int n) { for (int i = 0; i < n; i++) { if (__dtraceenabled_prov___hit()) __dtrace_prov___hit(i, "x"); __dtrace_prov___both(); } return quiet(n); }
__attribute__((weak)) void weakly(void) { __dtrace_prov___both(); }
