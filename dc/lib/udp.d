/*
 * UDP: the socket and the header that the udp provider hands out as args[3]
 * and args[4].
 */
inline int UDPH_SIZE = 8;		/* bytes of the header */

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* of its udp_t */
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;		/* header and data */
	uint16_t udp_checksum;
	udpha_t *udp_hdr;
} udpinfo_t;

translator udpsinfo_t < udp_t *U > {
	udps_addr = (uintptr_t)U;
	udps_lport = U == NULL ? 0 : ntohs(U->udp_connp->u_port.connu_ports.connu_lport);
	udps_rport = U == NULL ? 0 : ntohs(U->udp_connp->u_port.connu_ports.connu_fport);
	udps_laddr = U == NULL ? "<unknown>" : U->udp_connp->conn_ipversion == 4 ?
	    inet_ntoa((ipaddr_t *)&U->udp_connp->connua_v6addr.connua_laddr._S6_un._S6_u32[3]) :
	    inet_ntoa6(&U->udp_connp->connua_v6addr.connua_laddr);
	udps_raddr = U == NULL ? "<unknown>" : U->udp_connp->conn_ipversion == 4 ?
	    inet_ntoa((ipaddr_t *)&U->udp_connp->connua_v6addr.connua_faddr._S6_un._S6_u32[3]) :
	    inet_ntoa6(&U->udp_connp->connua_v6addr.connua_faddr);
};

translator udpinfo_t < udpha_t *H > {
	udp_sport = H == NULL ? 0 : ntohs(H->uha_src_port);
	udp_dport = H == NULL ? 0 : ntohs(H->uha_dst_port);
	udp_length = H == NULL ? 0 : ntohs(H->uha_length);
	udp_checksum = H == NULL ? 0 : ntohs(H->uha_checksum);
	udp_hdr = H;
};
