/* What the arenas of random sequences share. */
#include "portable.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096
#define COUNT(array) (int)(sizeof array / sizeof array[0])
#define ONE_OF(...) ((long[]){ __VA_ARGS__ })[below(COUNT(((long[]){ __VA_ARGS__ })))]

extern int steps;

unsigned below(unsigned limit);
long tell(long found, const char *form, ...);
unsigned sum(const void *from, long size);

void images(void);
