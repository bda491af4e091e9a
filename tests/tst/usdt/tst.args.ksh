# Native and translated arguments, strings, dashes in names, two providers, is-enabled.
dtrace="$1"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1

cat > prov.d <<'EOF'
provider shop {
	probe sale(int number, char *what) : (string what, int number);
	probe price__change(char *what, long from, long to, unsigned char kind);
};
provider bank { probe paid(int); };
EOF
cat > main.c <<'EOF'
#include "prov.h"
void pay(int);
int guarded;
int main(void)
{
	int i;
	for (i = 0; i < 3; i++) {
		SHOP_SALE(i, i ? "tea" : "coffee");
		pay(i * 10);
	}
	if (SHOP_PRICE_CHANGE_ENABLED()) {
		guarded++;
		SHOP_PRICE_CHANGE("tea", -5L, 0x100000000L, 200);
	}
	return guarded;
}
EOF
cat > pay.c <<'EOF'
#include "prov.h"
void pay(int amount) { BANK_PAID(amount); }
EOF
$dtrace -h -s prov.d && cc -O2 -c main.c pay.c &&
    $dtrace -G -s prov.d main.o pay.o && cc main.o pay.o prov.o -o prog || exit 1

$dtrace -q -c ./prog -n '
	shop$target:prog:main:sale { printf("%s %d\n", args[0], args[1]); }
	bank$target:::paid { printf("%s paid %d\n", probefunc, arg0); }
	shop$target:::price-change {
		printf("%s from %d to %d, kind %d\n", copyinstr(arg0), args[1], args[2], args[3]);
	}' || exit 1
# Nobody listens: the guarded call is not made.
$dtrace -q -c ./prog -n 'bank$target:::paid { @ = sum(arg0); } END { printa("sum %@d\n", @); }'
