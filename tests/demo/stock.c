/* The shop's stock: prices, and an audit that is costly to report. */
#include <stdio.h>
#include <string.h>
#include "provider.h"
#include "shop.h"

static struct item items[] = {
	{ "apple", 35, 400 }, { "bread", 289, 120 }, { "cheese", 649, 80 },
	{ "dates", 415, 60 }, { "eggs", 329, 200 },
};

long passed_priced, passed_audit;

int
price_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof (items) / sizeof (items[0]); i++) {
		if (strcmp(items[i].name, name) == 0) {
			int cents = items[i].cents + (int)(passed_priced % 7);

			items[i].stock--;
			passed_priced++;
			SHOP_ITEM_PRICED((char *)items[i].name, cents);
			return (cents);
		}
	}
	return (-1);
}

int
audit_stock(void)
{
	int total = 0;
	size_t i;

	for (i = 0; i < sizeof (items) / sizeof (items[0]); i++)
		total += items[i].stock;

	/* The report is only written when somebody wants to read it. */
	if (SHOP_STOCK_AUDIT_ENABLED()) {
		char report[64];

		snprintf(report, sizeof (report), "%d items left", total);
		passed_audit++;
		SHOP_STOCK_AUDIT(total, report);
	}
	return (total);
}
