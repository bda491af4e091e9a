/* A signed and an unsigned operand compare as unsigned ones; narrower than int, both are promoted first. */
int s;
unsigned int u;
BEGIN { trace(s < u); trace(u < s); trace((short)s < (unsigned short)u); }
