#ifndef SHOP_H
#define SHOP_H

struct item {
	const char *name;
	int cents;
	int stock;
};

/* stock.c */
extern int price_of(const char *name);
extern int audit_stock(void);

/* How often each probe site was passed, for comparison with a trace. */
extern long passed_priced, passed_audit;

#endif
