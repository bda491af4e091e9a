/*
 * Address families and socket types, as the traced programs see them: those of
 * Linux; and connections.
 */
inline int AF_UNSPEC = 0;
inline int AF_UNIX = 1;
inline int AF_INET = 2;
inline int AF_INET6 = 10;
inline int AF_NETLINK = 16;
inline int AF_PACKET = 17;

inline int SOCK_STREAM = 1;
inline int SOCK_DGRAM = 2;
inline int SOCK_RAW = 3;
inline int SOCK_SEQPACKET = 5;

/* What providers of application protocols hand out as args[0]. */
typedef struct conninfo {
	string ci_local;		/* addresses */
	string ci_remote;
	string ci_protocol;		/* "ipv4", "ipv6" */
} conninfo_t;
