/*
 * Connections, and address families that every system has in common.
 */
inline int AF_UNSPEC = 0;
inline int AF_UNIX = 1;
inline int AF_INET = 2;

/* What providers of application protocols hand out as args[0]. */
typedef struct conninfo {
	string ci_local;		/* addresses */
	string ci_remote;
	string ci_protocol;		/* "ipv4", "ipv6" */
} conninfo_t;
