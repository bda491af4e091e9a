#ifndef VALUES_H
#define	VALUES_H
#define	VALUE	12
#define	NAME	"twelve"
struct from_header {
	long member;
	char more;
};
#endif
