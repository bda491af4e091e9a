/* xlate makes a struct of another value, member by member or whole. */
#pragma D option quiet

struct pair {
	int low;
	int high;
	string name;
};

translator struct pair < uint64_t v > {
	low = v & 0xffff;
	high = v >> 16;
	name = v > 100 ? "large" : "small";
};

inline struct pair fixed = xlate <struct pair> ((uint64_t)0x30002);

BEGIN
{
	x = 0x70005;
	printf("%d %d %s\n", xlate <struct pair> ((uint64_t)x).low,
	    xlate <struct pair *> ((uint64_t)x)->high, xlate <struct pair> ((uint64_t)x).name);
	printf("%d %d\n", fixed.low, fixed.high);
	whole = xlate <struct pair> ((uint64_t)42);
	printf("%d %d %s\n", whole.low, whole.high, whole.name);
	exit(0);
}
