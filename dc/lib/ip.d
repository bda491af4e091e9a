/*
 * Packets: what the ip, tcp and udp providers hand out as args[0] to args[2],
 * and the interface and headers that ip tells of.
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

inline int IPH_DF = 0x4000;
inline int IPH_MF = 0x2000;

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

inline string ip_protocol_string[int protocol] = protocol == IPPROTO_TCP ? "TCP" :
    protocol == IPPROTO_UDP ? "UDP" : protocol == IPPROTO_IP ? "IP" : protocol == IPPROTO_ICMP ? "ICMP" :
    protocol == IPPROTO_IPV6 ? "IPv6" : protocol == IPPROTO_ICMPV6 ? "ICMPv6" : lltostr(protocol);

translator pktinfo_t < mblk_t *M > {
	pkt_addr = (uintptr_t)M;
};

translator csinfo_t < conn_t *C > {
	cs_addr = (uintptr_t)C;
	cs_cid = (uint64_t)(uintptr_t)C;
	cs_pid = C == NULL ? -1 : C->conn_cpid;
	cs_zoneid = C == NULL ? -1 : C->conn_zoneid;
};

translator ipinfo_t < void_ip_t *I > {
	ip_ver = I == NULL ? 0 : *(uint8_t *)I >> 4;
	ip_plength = I == NULL ? 0 :
	    *(uint8_t *)I >> 4 == 4 ? ntohs(((ipha_t *)I)->ipha_length) - ((*(uint8_t *)I & 0xf) << 2) :
	    ntohs(((ip6_t *)I)->ip6_ctlun.ip6_un1.ip6_un1_plen);
	ip_saddr = I == NULL ? "<unknown>" : *(uint8_t *)I >> 4 == 4 ?
	    inet_ntoa(&((ipha_t *)I)->ipha_src) : inet_ntoa6(&((ip6_t *)I)->ip6_src);
	ip_daddr = I == NULL ? "<unknown>" : *(uint8_t *)I >> 4 == 4 ?
	    inet_ntoa(&((ipha_t *)I)->ipha_dst) : inet_ntoa6(&((ip6_t *)I)->ip6_dst);
};

translator ifinfo_t < ill_t *I > {
	if_name = I == NULL ? "<null>" : stringof(I->ill_name);
	if_local = 1;
	if_ipstack = 0;
	if_addr = (uintptr_t)I;
};

translator ipv4info_t < ipha_t *I > {
	ipv4_ver = I == NULL ? 0 : I->ipha_version_and_hdr_length >> 4;
	ipv4_ihl = I == NULL ? 0 : (I->ipha_version_and_hdr_length & 0xf) << 2;
	ipv4_tos = I == NULL ? 0 : I->ipha_type_of_service;
	ipv4_length = I == NULL ? 0 : ntohs(I->ipha_length);
	ipv4_ident = I == NULL ? 0 : ntohs(I->ipha_ident);
	ipv4_flags = I == NULL ? 0 : ntohs(I->ipha_fragment_offset_and_flags) >> 12;
	ipv4_offset = I == NULL ? 0 : ntohs(I->ipha_fragment_offset_and_flags) & 0x0fff;
	ipv4_ttl = I == NULL ? 0 : I->ipha_ttl;
	ipv4_protocol = I == NULL ? 0 : I->ipha_protocol;
	ipv4_protostr = I == NULL ? "<null>" : ip_protocol_string[I->ipha_protocol];
	ipv4_checksum = I == NULL ? 0 : ntohs(I->ipha_hdr_checksum);
	ipv4_src = I == NULL ? 0 : I->ipha_src;
	ipv4_dst = I == NULL ? 0 : I->ipha_dst;
	ipv4_saddr = I == NULL ? "<null>" : inet_ntoa(&I->ipha_src);
	ipv4_daddr = I == NULL ? "<null>" : inet_ntoa(&I->ipha_dst);
	ipv4_hdr = I;
};

translator ipv6info_t < ip6_t *I > {
	ipv6_ver = I == NULL ? 0 : *(uint8_t *)I >> 4;
	ipv6_tclass = I == NULL ? 0 : (ntohl(I->ip6_ctlun.ip6_un1.ip6_un1_flow) & 0x0fffffff) >> 20;
	ipv6_flow = I == NULL ? 0 : ntohl(I->ip6_ctlun.ip6_un1.ip6_un1_flow) & 0x000fffff;
	ipv6_plen = I == NULL ? 0 : ntohs(I->ip6_ctlun.ip6_un1.ip6_un1_plen);
	ipv6_nexthdr = I == NULL ? 0 : I->ip6_ctlun.ip6_un1.ip6_un1_nxt;
	ipv6_nextstr = I == NULL ? "<null>" : ip_protocol_string[I->ip6_ctlun.ip6_un1.ip6_un1_nxt];
	ipv6_hlim = I == NULL ? 0 : I->ip6_ctlun.ip6_un1.ip6_un1_hlim;
	ipv6_src = I == NULL ? NULL : &I->ip6_src;
	ipv6_dst = I == NULL ? NULL : &I->ip6_dst;
	ipv6_saddr = I == NULL ? "<null>" : inet_ntoa6(&I->ip6_src);
	ipv6_daddr = I == NULL ? "<null>" : inet_ntoa6(&I->ip6_dst);
	ipv6_hdr = I;
};
