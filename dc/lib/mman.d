/*
 * Protection and flags of mappings, as the traced programs see them: those of
 * Linux.  What only illumos has is never set.
 */
inline int PROT_NONE = 0;
inline int PROT_READ = 1;
inline int PROT_WRITE = 2;
inline int PROT_EXEC = 4;

inline int MAP_SHARED = 0x01;
inline int MAP_PRIVATE = 0x02;
inline int MAP_TYPE = 0x0f;
inline int MAP_FIXED = 0x10;
inline int MAP_ANON = 0x20;
inline int MAP_ANONYMOUS = 0x20;
inline int MAP_GROWSDOWN = 0x0100;
inline int MAP_LOCKED = 0x2000;
inline int MAP_NORESERVE = 0x4000;
inline int MAP_POPULATE = 0x8000;
inline int MAP_STACK = 0x20000;
inline int MAP_HUGETLB = 0x40000;

inline int MAP_RENAME = 0;
inline int MAP_ALIGN = 0;
inline int MAP_TEXT = 0;
inline int MAP_INITDATA = 0;
