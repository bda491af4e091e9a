/*
 * UDP: args[3] and args[4] of the udp provider are the socket and the header of
 * the datagram.
 */
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

inline int UDPH_SIZE = 8;		/* bytes of the header */

translator udpinfo_t < udpha_t *header > {
	udp_hdr = header;
	udp_length = header ? ntohs(header->uha_length) : 0;
	udp_sport = header ? ntohs(header->uha_src_port) : 0;
	udp_dport = header ? ntohs(header->uha_dst_port) : 0;
	udp_checksum = header ? ntohs(header->uha_checksum) : 0;
};

translator udpsinfo_t < udp_t *udp > {
	udps_addr = (uintptr_t)udp;
	udps_laddr = udp ? xlate <conninfo_t *> (udp->udp_connp)->ci_local : "<unknown>";
	udps_lport = udp ? ntohs(udp->udp_connp->u_port.connu_ports.connu_lport) : 0;
	udps_raddr = udp ? xlate <conninfo_t *> (udp->udp_connp)->ci_remote : "<unknown>";
	udps_rport = udp ? ntohs(udp->udp_connp->u_port.connu_ports.connu_fport) : 0;
};
