/* Types of every kind, in the positions where writers of debug information treat them in their own ways. */

enum sign { BELOW = -2, ZERO, ABOVE = 2147483647 };
union word { unsigned char bytes[8]; double wide; struct { short low, high; } halves; };
struct unknown;
struct flags { unsigned a : 1, b : 7; int c : 3; long long d : 40; enum sign e : 5; unsigned whole : 32; int last; };
struct letters { char first; signed char second[3]; unsigned char third; };
union empty { };
struct node {
	struct node *next, *volatile *const others[3];
	const char *restrict name;
	union { int number; float ratio; };
	struct { double x, y; } at[5];
	signed char low;
	unsigned char high;
	char plain;
	_Bool is_set;
	unsigned short half;
	unsigned long long most;
	void *data;
	const void *fixed;
	struct unknown *elsewhere;
	int (*compare)(const void *, const void *);
	void (*none)(void);
	int (*print)(const char *, ...);
	long (*one)(struct node);
	union word (*three)(int, long, char);
	struct flags flags;
	struct letters letters;
	union empty none_of_it;
	int rest[];
};
typedef struct node node_t;
typedef int (*handler_t)(node_t *, enum sign, double);
typedef const volatile node_t table_t[4];

/* What gcc's CTF has otherwise than the compiled code */
enum __attribute__((packed)) little { NONE = -1, FEW, SOME = 100 };
struct odd { enum little kind; int matrix[2][5]; unsigned char a : 2, : 0, f : 5; };
struct huge { char before[0x20000000]; int last; struct odd odd; };

long serve(node_t *node, handler_t handler, const struct flags *flags, union word word)
{
	return handler(node, ZERO, 1.5) + flags->c + word.bytes[0];
}
void nothing(void) { }
int many(char *first, ...) { return *first; }
float mixed(float a, double b, _Bool c, unsigned char d) { return a + b + c + d; }
table_t *table;
struct huge *huge;
int main(void) { nothing(); return !table + !huge; }
