# Probes of a program: arguments, is-enabled tests, functions, and nothing when it has gone.
dtrace=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

cat > shop.d <<'EOF'
provider shop {
	probe sale(int number, char *what) : (char *what, int number);
	probe idle();
};
EOF
cat > shop.c <<'EOF'
#include "shop.h"

static __attribute__((noinline)) int
sell(int number)
{
	SHOP_SALE(number, "bread");
	return (number);
}

int
main(void)
{
	int i, asked = 0;

	for (i = 0; i < 5; i++) {
		sell(i);
		if (SHOP_IDLE_ENABLED()) {
			asked++;
			SHOP_IDLE();
		}
	}
	return (asked);
}
EOF
$dtrace -h -s shop.d -o shop.h || exit 1
cc -O1 -c shop.c -o shop.o || exit 1
$dtrace -G -s shop.d shop.o -o probes.o || exit 1
cc shop.o probes.o -o shop || exit 1
./shop || exit 1

$dtrace -qn '
	shop$target::sell:sale { printf("%s %d %s\n", stringof(copyinstr(arg0)), (int)arg1, probemod); }
	shop$target:::idle { asked++; }
	proc:::exit /pid == $target/ { printf("asked %d\n", asked); exit(0); }' -c ./shop || exit 1
$dtrace -qn '
	shop$target:::sale { @ = sum(args[1]); } END { printa("total %@d\n", @); }
	proc:::exit /pid == $target/ { exit(0); }' -c ./shop
