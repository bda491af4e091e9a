#include <stdio.h>
#include "shop-probes.h"
#include "stock.h"

int main(void)
{
	for (int number = 1; number <= 3; number++) {
		SHOP_SALE(number, "tea");
		stock_take("tea");
	}
	puts("sold");
	return 0;
}
