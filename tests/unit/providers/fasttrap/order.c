/* A function with arguments of many types of the program's own, to be named in D. */
#include <unistd.h>

typedef unsigned int money_t;
enum kind { RETAIL, BULK = 7 };
struct customer { const char *name; int level; };
typedef struct order {
	int id;
	enum kind kind;
	money_t cents;
	char note[12];
	struct customer *who;
	union { long whole; double real; } amount;
	unsigned flag : 3, rest : 29;
	struct order *next;
	int parts[3];
} order_t;

__attribute__((noipa)) long serve(struct order *order, int times)
{
	getppid();
	return order->cents * times;
}

int main(void)
{
	struct customer ada = {"ada", 3};
	order_t second = {2, RETAIL, 5, "second", &ada, {7}, 1, 2, 0, {4, 5, 6}};
	order_t first = {1, BULK, 99, "first", &ada, {42}, 5, 1000, &second, {1, 2, 3}};

	return serve(&first, 2) == 0;
}
