/* A type's name may become a variable by assignment, and a member's by declaration. */
#pragma D option quiet

struct s { size_t size_t; };
struct s v;

BEGIN
{
	v.size_t = 4;
	pfn_t = v.size_t + sizeof (size_t);
	printf("%d %c %s %x %d\n", pfn_t, '\x41', "tab\tquote\"", 0x1F, 'ab' == 0x6162);
	exit(0);
}
