#include "tst.offsets.c"
