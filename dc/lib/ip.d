/*
 * Packets: args[0] to args[5] of the ip provider; the tcp and udp providers
 * begin their args[] with the first three of them.  Each header's fields are
 * here in the machine's byte order; ipv4_src, ipv4_dst, ipv6_src, ipv6_dst and
 * the raw headers are in the network's.  Where a packet has no such header,
 * numbers and pointers are 0 and text is "<null>" or "<unknown>".
 */
typedef struct pktinfo {
	uintptr_t pkt_addr;		/* of its mblk_t */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;		/* of its conn_t */
	uint64_t cs_cid;		/* a number of the connection's own */
	pid_t cs_pid;			/* who made the socket */
	zoneid_t cs_zoneid;
} csinfo_t;

typedef struct ipinfo {
	uint8_t ip_ver;			/* 4 or 6 */
	uint32_t ip_plength;		/* bytes after the header */
	string ip_saddr;
	string ip_daddr;
} ipinfo_t;

typedef struct ifinfo {
	string if_name;
	int8_t if_local;		/* delivered within the machine */
	int32_t if_ipstack;
	uintptr_t if_addr;		/* of its ill_t */
} ifinfo_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;		/* bytes of the header */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;		/* header and payload */
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;
	uint16_t ipv4_offset;
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	ipha_t *ipv4_hdr;
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	in6_addr_t *ipv6_src;
	in6_addr_t *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	ip6_t *ipv6_hdr;
} ipv6info_t;

/*
 * Bits of the 16-bit word that an IPv4 header has its flags and fragment offset
 * in (RFC 791, 3.1): a reserved bit, "don't fragment", "more fragments", and
 * then 13 bits of offset.
 */
inline int IPH_DF = 0x4000;
inline int IPH_MF = 0x2000;

/* Protocols by their number in IPv4's "protocol" or IPv6's "next header". */
inline int IPPROTO_IP = 0;
inline int IPPROTO_HOPOPTS = 0;
inline int IPPROTO_ICMP = 1;
inline int IPPROTO_IGMP = 2;
inline int IPPROTO_GGP = 3;
inline int IPPROTO_ENCAP = 4;
inline int IPPROTO_IPIP = 4;
inline int IPPROTO_TCP = 6;
inline int IPPROTO_EGP = 8;
inline int IPPROTO_PUP = 12;
inline int IPPROTO_UDP = 17;
inline int IPPROTO_IDP = 22;
inline int IPPROTO_IPV6 = 41;
inline int IPPROTO_ROUTING = 43;
inline int IPPROTO_FRAGMENT = 44;
inline int IPPROTO_RSVP = 46;
inline int IPPROTO_GRE = 47;
inline int IPPROTO_ESP = 50;
inline int IPPROTO_AH = 51;
inline int IPPROTO_ICMPV6 = 58;
inline int IPPROTO_NONE = 59;
inline int IPPROTO_DSTOPTS = 60;
inline int IPPROTO_HELLO = 63;
inline int IPPROTO_ND = 77;
inline int IPPROTO_EON = 80;
inline int IPPROTO_OSPF = 89;
inline int IPPROTO_PIM = 103;
inline int IPPROTO_SCTP = 132;
inline int IPPROTO_RAW = 255;
inline int IPPROTO_MAX = 256;

inline string ip_protocol_string[int number] = number == IPPROTO_ICMPV6 ? "ICMPv6" :
    number == IPPROTO_ICMP ? "ICMP" :
    number == IPPROTO_TCP ? "TCP" :
    number == IPPROTO_UDP ? "UDP" :
    number == IPPROTO_IPV6 ? "IPv6" :
    number == IPPROTO_IP ? "IP" : lltostr(number);

translator pktinfo_t < mblk_t *message > {
	pkt_addr = (uintptr_t)message;
};

/* A connection's address is its number, too: no two have the same at one time. */
translator csinfo_t < conn_t *conn > {
	cs_zoneid = conn ? conn->conn_zoneid : -1;
	cs_pid = conn ? conn->conn_cpid : -1;
	cs_cid = (uintptr_t)conn;
	cs_addr = (uintptr_t)conn;
};

/* The machine's one interface is the loopback, and it has one IP stack. */
translator ifinfo_t < ill_t *interface > {
	if_addr = (uintptr_t)interface;
	if_name = interface ? stringof(interface->ill_name) : "<null>";
	if_ipstack = 0;
	if_local = 1;
};

/*
 * ipv4_flags is the upper four bits of the 16-bit word without the lowest of
 * them, which is the offset's: (IPH_DF | IPH_MF) >> 12.  ipv4_offset counts in
 * units of eight bytes, as the header does.  The header's length counts in words
 * of four bytes; ipv4_ihl is in bytes.
 */
translator ipv4info_t < ipha_t *header > {
	ipv4_hdr = header;
	ipv4_ver = header ? header->ipha_version_and_hdr_length >> 4 : 0;
	ipv4_ihl = header ? 4 * (header->ipha_version_and_hdr_length & 0x0f) : 0;
	ipv4_length = header ? ntohs(header->ipha_length) : 0;
	ipv4_protocol = header ? header->ipha_protocol : 0;
	ipv4_protostr = header ? ip_protocol_string[header->ipha_protocol] : "<null>";
	ipv4_src = header ? header->ipha_src : 0;
	ipv4_saddr = header ? inet_ntoa(&header->ipha_src) : "<null>";
	ipv4_dst = header ? header->ipha_dst : 0;
	ipv4_daddr = header ? inet_ntoa(&header->ipha_dst) : "<null>";
	ipv4_ident = header ? ntohs(header->ipha_ident) : 0;
	ipv4_flags = header ? ntohs(header->ipha_fragment_offset_and_flags) >> 12 & 0xe : 0;
	ipv4_offset = header ? ntohs(header->ipha_fragment_offset_and_flags) & 0x1fff : 0;
	ipv4_tos = header ? header->ipha_type_of_service : 0;
	ipv4_ttl = header ? header->ipha_ttl : 0;
	ipv4_checksum = header ? ntohs(header->ipha_hdr_checksum) : 0;
};

/* The first 32 bits are a version of 4 bits, a traffic class of 8 and a flow label of 20 (RFC 8200, 3). */
translator ipv6info_t < ip6_t *header > {
	ipv6_hdr = header;
	ipv6_ver = header ? header->ip6_ctlun.ip6_un2_vfc >> 4 : 0;
	ipv6_plen = header ? ntohs(header->ip6_ctlun.ip6_un1.ip6_un1_plen) : 0;
	ipv6_nexthdr = header ? header->ip6_ctlun.ip6_un1.ip6_un1_nxt : 0;
	ipv6_nextstr = header ? ip_protocol_string[header->ip6_ctlun.ip6_un1.ip6_un1_nxt] : "<null>";
	ipv6_src = header ? &header->ip6_src : NULL;
	ipv6_saddr = header ? inet_ntoa6(&header->ip6_src) : "<null>";
	ipv6_dst = header ? &header->ip6_dst : NULL;
	ipv6_daddr = header ? inet_ntoa6(&header->ip6_dst) : "<null>";
	ipv6_tclass = header ? ntohl(header->ip6_ctlun.ip6_un1.ip6_un1_flow) >> 20 & 0xff : 0;
	ipv6_flow = header ? ntohl(header->ip6_ctlun.ip6_un1.ip6_un1_flow) & 0xfffff : 0;
	ipv6_hlim = header ? header->ip6_ctlun.ip6_un1.ip6_un1_hlim : 0;
};

/* A header of either version: both have their version in the first four bits, which here tell 4 from 6. */
translator ipinfo_t < void_ip_t *header > {
	ip_ver = header ? ((ipha_t *)header)->ipha_version_and_hdr_length >> 4 : 0;
	ip_plength = !header ? 0 : (((ipha_t *)header)->ipha_version_and_hdr_length & 0xf0) != 0x40 ?
	    ntohs(((ip6_t *)header)->ip6_ctlun.ip6_un1.ip6_un1_plen) :
	    ntohs(((ipha_t *)header)->ipha_length) -
	    4 * (((ipha_t *)header)->ipha_version_and_hdr_length & 0x0f);
	ip_saddr = !header ? "<unknown>" : (((ipha_t *)header)->ipha_version_and_hdr_length & 0xf0) != 0x40 ?
	    inet_ntoa6(&((ip6_t *)header)->ip6_src) : inet_ntoa(&((ipha_t *)header)->ipha_src);
	ip_daddr = !header ? "<unknown>" : (((ipha_t *)header)->ipha_version_and_hdr_length & 0xf0) != 0x40 ?
	    inet_ntoa6(&((ip6_t *)header)->ip6_dst) : inet_ntoa(&((ipha_t *)header)->ipha_dst);
};
