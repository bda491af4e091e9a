/* A shop that serves its customers and says at the end what it did. */
#include <stdio.h>
#include <stdlib.h>
#include "provider.h"
#include "shop.h"

static const char *customers[] = { "ada", "brian", "grace", "dennis" };
static const char *wishes[] = { "apple", "bread", "cheese", "dates", "eggs" };

static long passed_start, passed_done, served;

__attribute__((noinline)) int
serve(int id, const char *customer)
{
	int cents = 0, n;

	SHOP_ORDER_START(id, (char *)customer);
	passed_start++;
	for (n = 0; n <= id % 4; n++)
		cents += price_of(wishes[(id + n) % 5]);
	passed_done++;
	SHOP_ORDER_DONE(id, cents, (char *)customer);
	served++;
	return (cents);
}

int
main(int argc, char **argv)
{
	int orders = argc > 1 ? atoi(argv[1]) : 20;
	long income = 0;
	int id;

	for (id = 0; id < orders; id++) {
		income += serve(id, customers[id % 4]);
		if (id % 8 == 7)
			audit_stock();
	}
	printf("served %ld orders for %ld cents\n", served, income);
	printf("passed: order-start %ld, order-done %ld, item-priced %ld, stock-audit %ld\n",
	    passed_start, passed_done, passed_priced, passed_audit);
	return (0);
}
