#include "stock.h"
#include "stock-probes.h"

static int left = 10;

int stock_take(const char *what)
{
	left--;
	if (STOCK_TAKEN_ENABLED())
		STOCK_TAKEN(what, left);
	return left;
}
