#define	SQUARE(x)	((x) * (x))
#include "values.h"
#pragma D option quiet

#if VALUE > 3 && defined(__SUNW_D)
#define	RESULT	SQUARE(VALUE)
#else
#error never
#endif

struct from_header h;

BEGIN
{
	h.member = RESULT;
	printf("%d %s %d\n", h.member, NAME, sizeof (h));
	exit(0);
}
