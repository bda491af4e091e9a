/*
 * Headers written by hand: each field is its own bits, and none of a neighbour's.
 * The bits of a word are set first here, then there, and last in a mixture.
 */
#pragma D option quiet
#pragma D option strsize=64

BEGIN
{
	this->v4 = (ipha_t *)alloca(20);
	this->v4->ipha_version_and_hdr_length = 0x4f;
	this->v4->ipha_type_of_service = 0xb8;
	this->v4->ipha_length = htons(0x05dc);
	this->v4->ipha_ident = htons(0xbeef);
	this->v4->ipha_fragment_offset_and_flags = htons(0x1fff);
	this->v4->ipha_ttl = 64;
	this->v4->ipha_protocol = IPPROTO_UDP;
	this->v4->ipha_hdr_checksum = htons(0x1234);
	this->v4->ipha_src = htonl(0xc0000201);
	this->v4->ipha_dst = htonl(0x7f000001);

	this->ip = xlate <ipv4info_t> (this->v4);
	printf("%d %d %x %d %x %d %d\n", this->ip.ipv4_ver, this->ip.ipv4_ihl, this->ip.ipv4_tos,
	    this->ip.ipv4_length, this->ip.ipv4_ident, this->ip.ipv4_ttl, this->ip.ipv4_protocol);
	printf("%s %x %s %s\n", this->ip.ipv4_protostr, this->ip.ipv4_checksum, this->ip.ipv4_saddr,
	    this->ip.ipv4_daddr);
	printf("%x %d\n", this->ip.ipv4_flags, this->ip.ipv4_offset);

	this->v4->ipha_fragment_offset_and_flags = htons(0xe000);
	this->ip = xlate <ipv4info_t> (this->v4);
	printf("%x %d\n", this->ip.ipv4_flags, this->ip.ipv4_offset);
	this->v4->ipha_fragment_offset_and_flags = htons(IPH_DF);
	this->ip = xlate <ipv4info_t> (this->v4);
	printf("%x %d\n", this->ip.ipv4_flags, this->ip.ipv4_offset);
	this->v4->ipha_fragment_offset_and_flags = htons(IPH_MF | 0x10b9);
	this->ip = xlate <ipv4info_t> (this->v4);
	printf("%x %d\n", this->ip.ipv4_flags, this->ip.ipv4_offset);

	this->any = xlate <ipinfo_t> ((void_ip_t *)this->v4);
	printf("%d %d %s %s\n", this->any.ip_ver, this->any.ip_plength, this->any.ip_saddr, this->any.ip_daddr);
}

BEGIN
{
	this->v6 = (ip6_t *)alloca(40);
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_flow = htonl(0x6fffffff);
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_plen = htons(0x0102);
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_nxt = IPPROTO_TCP;
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_hlim = 255;
	this->v6->ip6_src._S6_un._S6_u32[0] = htonl(0x20010db8);
	this->v6->ip6_src._S6_un._S6_u32[1] = 0;
	this->v6->ip6_src._S6_un._S6_u32[2] = 0;
	this->v6->ip6_src._S6_un._S6_u32[3] = htonl(1);
	this->v6->ip6_dst = this->v6->ip6_src;
	this->v6->ip6_dst._S6_un._S6_u32[0] = 0;

	this->ip6 = xlate <ipv6info_t> (this->v6);
	printf("%d %x %x %d %s %d %s %s\n", this->ip6.ipv6_ver, this->ip6.ipv6_tclass, this->ip6.ipv6_flow,
	    this->ip6.ipv6_plen, this->ip6.ipv6_nextstr, this->ip6.ipv6_hlim, this->ip6.ipv6_saddr,
	    this->ip6.ipv6_daddr);
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_flow = htonl(0x600fffff);
	this->ip6 = xlate <ipv6info_t> (this->v6);
	printf("%d %x %x\n", this->ip6.ipv6_ver, this->ip6.ipv6_tclass, this->ip6.ipv6_flow);
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_flow = htonl(0x6ff00000);
	this->ip6 = xlate <ipv6info_t> (this->v6);
	printf("%d %x %x\n", this->ip6.ipv6_ver, this->ip6.ipv6_tclass, this->ip6.ipv6_flow);
	this->v6->ip6_ctlun.ip6_un1.ip6_un1_flow = htonl(0x6b812345);
	this->ip6 = xlate <ipv6info_t> (this->v6);
	printf("%d %x %x\n", this->ip6.ipv6_ver, this->ip6.ipv6_tclass, this->ip6.ipv6_flow);

	this->any = xlate <ipinfo_t> ((void_ip_t *)this->v6);
	printf("%d %d %s %s\n", this->any.ip_ver, this->any.ip_plength, this->any.ip_saddr, this->any.ip_daddr);
}

BEGIN
{
	this->tcp = (tcph_t *)alloca(20);
	*(uint16_t *)this->tcp->th_lport = htons(49152);
	*(uint16_t *)this->tcp->th_fport = htons(443);
	*(uint32_t *)this->tcp->th_seq = htonl(0x01020304);
	*(uint32_t *)this->tcp->th_ack = htonl(0xfffefdfc);
	this->tcp->th_offset_and_rsrvd[0] = 0x5f;
	this->tcp->th_flags[0] = TH_CWR | TH_ECE | TH_FIN;
	*(uint16_t *)this->tcp->th_win = htons(0x7210);
	*(uint16_t *)this->tcp->th_sum = htons(0xabcd);
	*(uint16_t *)this->tcp->th_urp = htons(0x0009);

	this->seg = xlate <tcpinfo_t> (this->tcp);
	printf("%d %d %x %x %d %x %x %x %d\n", this->seg.tcp_sport, this->seg.tcp_dport, this->seg.tcp_seq,
	    this->seg.tcp_ack, this->seg.tcp_offset, this->seg.tcp_flags, this->seg.tcp_window,
	    this->seg.tcp_checksum, this->seg.tcp_urgent);
	this->tcp->th_offset_and_rsrvd[0] = 0xf0;
	this->seg = xlate <tcpinfo_t> (this->tcp);
	printf("%d\n", this->seg.tcp_offset);
}

BEGIN
{
	this->udp = (udpha_t *)alloca(UDPH_SIZE);
	this->udp->uha_src_port = htons(53);
	this->udp->uha_dst_port = htons(0x8001);
	this->udp->uha_length = htons(0x0108);
	this->udp->uha_checksum = htons(0x00ff);

	this->datagram = xlate <udpinfo_t> (this->udp);
	printf("%d %d %d %x\n", this->datagram.udp_sport, this->datagram.udp_dport,
	    this->datagram.udp_length, this->datagram.udp_checksum);
	exit(0);
}

ERROR { exit(1); }
