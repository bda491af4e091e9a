/*
 * Connections, and address families that every system has in common.
 */
inline int AF_UNSPEC = 0;
inline int AF_UNIX = 1;
inline int AF_INET = 2;

/* A connection: args[0] of providers of application protocols. */
typedef struct conninfo {
	string ci_local;		/* addresses */
	string ci_remote;
	string ci_protocol;		/* "ipv4", "ipv6" */
} conninfo_t;

/* The kernel keeps an IPv4 address as the last of the four words of a mapped IPv6 address. */
translator conninfo_t < conn_t *conn > {
	ci_protocol = conn->conn_ipversion == 4 ? "ipv4" : "ipv6";
	ci_local = conn->conn_ipversion == 4 ?
	    inet_ntoa(&conn->connua_v6addr.connua_laddr._S6_un._S6_u32[3]) :
	    inet_ntoa6(&conn->connua_v6addr.connua_laddr);
	ci_remote = conn->conn_ipversion == 4 ?
	    inet_ntoa(&conn->connua_v6addr.connua_faddr._S6_un._S6_u32[3]) :
	    inet_ntoa6(&conn->connua_v6addr.connua_faddr);
};
