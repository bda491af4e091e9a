/* What programs in C++ need that are linked without its library. */
#ifdef __cplusplus
#include <stdlib.h>
__attribute__((weak)) void *operator new(__SIZE_TYPE__ size) { return malloc(size); }
__attribute__((weak)) void operator delete(void *place) noexcept { free(place); }
__attribute__((weak)) void operator delete(void *place, __SIZE_TYPE__) noexcept { free(place); }
extern "C" __attribute__((weak)) void __cxa_pure_virtual(void) { abort(); }
#endif
