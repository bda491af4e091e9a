/* INDIRECT(int, name, (int), resolver): a function that a resolver chooses, also where clang knows musl and no ifunc. */
#if defined __clang__ && !__has_attribute(ifunc)
#define	INDIRECT(type, name, arguments, resolver) \
	type name arguments; \
	__asm__(".globl " #name "\n.type " #name ", %gnu_indirect_function\n.set " #name ", " #resolver)
#else
#define	INDIRECT(type, name, arguments, resolver) type name arguments __attribute__((ifunc(#resolver)))
#endif
