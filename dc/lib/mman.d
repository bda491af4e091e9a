/*
 * Protection and flags of mappings that every system has in common.
 */
inline int PROT_NONE = 0;
inline int PROT_READ = 1;
inline int PROT_WRITE = 2;
inline int PROT_EXEC = 4;

inline int MAP_SHARED = 0x01;
inline int MAP_PRIVATE = 0x02;
inline int MAP_FIXED = 0x10;
