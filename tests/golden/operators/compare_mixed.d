/* A signed and an unsigned operand of the same width compare as unsigned ones. */
int s;
unsigned int u;
BEGIN { trace(s < u); trace(u < s); trace((short)s < (unsigned short)u); }
